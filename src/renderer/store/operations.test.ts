import { describe, expect, test } from 'vitest'
import type { Answer, Bridge } from '../../shared/contract/bridge.ts'
import type { OperationResult } from '../../shared/contract/commands.ts'
import { errorOf, rowOf } from '../rows/row-of.ts'
import { createAppStore } from './app-store.ts'
import { createListWatch } from './list-watch.ts'
import { memoryStorage } from './memory-storage.ts'
import { createMessages } from './messages.ts'
import { Operations } from './operations.ts'

type Calls = [name: string, input: unknown][]

/** A host that answers every operation alike and remembers what it was asked. */
function setUp(answer: Answer<OperationResult>) {
  const calls: Calls = []
  // the methods of a bridge as far as operations use them
  const bridge = {
    call: (name: string, input: unknown) => {
      calls.push([name, input])
      return Promise.resolve(answer)
    },
    on: () => () => undefined,
  } as unknown as Bridge
  const store = createAppStore(memoryStorage())
  const messages = createMessages(store)
  const list = createListWatch(bridge, store)
  return { calls, store, operations: new Operations({ bridge, store, list, messages, now: () => 1000 }) }
}

const done = (...ids: string[]): Answer<OperationResult> => ({
  ok: true,
  value: { results: ids.map((id) => ({ kind: 'done', id, jobId: 'j', changed: true })) },
})

describe('operations', () => {
  test('announce what was done, and show nothing before the host does', async () => {
    const { store, operations } = setUp(done('a', 'b'))
    await operations.run('tasks.pause', [{ ids: ['a', 'b'] }])
    expect(store.getState().announcement?.message).toEqual({ key: 'done.paused', values: { count: 2 } })
    expect([store.getState().toasts, store.getState().list.rows.size]).toEqual([[], 0])
  })

  test('tell refusals once, with their number', async () => {
    const refused = { kind: 'refused', id: 'a', error: errorOf('CONFLICT') } as const
    const { store, operations } = setUp({ ok: true, value: { results: [refused, { ...refused, id: 'b' }] } })
    await operations.run('tasks.restart', [{ ids: ['a', 'b'] }])
    const { toasts, announcement } = store.getState()
    expect(toasts.map(({ message, error }) => [message.values, error?.code])).toEqual([
      [{ count: 2 }, 'CONFLICT'],
    ])
    expect(announcement).toBeNull()
  })

  test('a removal can be taken back for eight seconds, exactly what was removed', async () => {
    const { calls, store, operations } = setUp(done('a', 'b'))
    await operations.remove([{ query: { filter: 'failed', search: '' } }], false)
    const [toast] = store.getState().toasts
    expect(toast?.undo).toEqual({ ids: ['a', 'b'], until: 9000 })
    await operations.undo(toast?.id ?? -1)
    expect(calls.at(-1)).toEqual(['tasks.undoDelete', { ids: ['a', 'b'] }])
    expect(store.getState().toasts).toEqual([])
    await operations.undo(toast?.id ?? -1)
    expect(calls.length).toBe(2)
  })

  test('what is asked to be taken back before the host has answered is taken back after it', async () => {
    const { calls, store, operations } = setUp(done('a'))
    const removed = operations.remove([{ ids: ['a'] }], false)
    expect([store.getState().toasts, operations.canUndo()]).toEqual([[], true])
    await operations.undoLast()
    await removed
    expect(calls.map(([name]) => name)).toEqual(['tasks.delete', 'tasks.undoDelete'])
    expect([store.getState().toasts, operations.canUndo()]).toEqual([[], false])
  })

  test('only what waits is moved', async () => {
    const { calls, store, operations } = setUp(done('w'))
    const rows = new Map([
      ['w', rowOf({ id: 'w' })],
      ['r', rowOf({ id: 'r', state: 'RUNNING' })],
    ])
    store.setState((state) => ({ list: { ...state.list, rows } }))
    await operations.move([{ ids: ['r', 'w', 'not loaded'] }], 'front')
    expect(calls).toEqual([['tasks.move', { ids: ['w', 'not loaded'], before: 'front' }]])
  })

  test('a host that does not answer is one toast', async () => {
    const { store, operations } = setUp({ ok: false, error: errorOf('NETWORK_ERROR') })
    await operations.remove([{ ids: ['a'] }], true)
    expect(store.getState().toasts.map(({ tone, undo }) => [tone, undo])).toEqual([['failed', null]])
  })
})
