import { describe, expect, test } from 'vitest'
import type { Bridge } from '../../shared/contract/bridge.ts'
import type { ListQuery } from '../../shared/view.ts'
import { rowOf } from '../rows/row-of.ts'
import { createAppStore } from './app-store.ts'
import { createListWatch, windowFor } from './list-watch.ts'
import { memoryStorage } from './memory-storage.ts'
import { selectOnly } from './selection.ts'

describe('the window that is watched', () => {
  const present = { offset: 0, limit: 200 }

  test('stays while the visible rows are well inside', () => {
    expect(windowFor({ first: 0, last: 20 }, present)).toBeNull()
    expect(windowFor({ first: 120, last: 150 }, present)).toBeNull()
  })

  test('moves before its edge is seen, and holds the visible rows with room on both sides', () => {
    const next = windowFor({ first: 170, last: 190 }, present)
    expect(next).toEqual({ offset: 100, limit: 200 })
  })

  test('jumps to wherever the user jumps', () => {
    const next = windowFor({ first: 99_980, last: 99_999 }, present)
    expect(next).toEqual({ offset: 99_900, limit: 200 })
  })

  test('grows with a tall window of compact rows, up to what the host gives', () => {
    const next = windowFor({ first: 1000, last: 1180 }, present)
    expect(next).toEqual({ offset: 900, limit: 350 })
    expect(windowFor({ first: 1000, last: 3000 }, present)?.limit).toBe(500)
  })
})

/** A host of numbered tasks that remembers what it was asked; answers come when the test lets them. */
function numberedHost(total: number) {
  const queries: ListQuery[] = []
  const listeners = new Map<string, (event: unknown) => void>()
  const counts = { all: total, running: 0, waiting: total, paused: 0, completed: 0, failed: 0 }
  const windowOf = (query: ListQuery) => ({
    ids: Array.from({ length: Math.max(0, Math.min(query.limit, total - query.offset)) }, (_, index) =>
      String(query.offset + index),
    ),
    total,
    counts,
  })
  const bridge = {
    call: (name: string, query: ListQuery) => {
      if (name !== 'list.query') throw new Error(`unexpected ${name}`)
      queries.push(query)
      const window = windowOf(query)
      return Promise.resolve({ ok: true, value: { ...window, rows: window.ids.map((id) => rowOf({ id })) } })
    },
    watchList: () => Promise.resolve({ ok: true, value: null }),
    on: (name: string, listener: (event: unknown) => void) => {
      listeners.set(name, listener)
      return () => listeners.delete(name)
    },
    onConnection: () => () => undefined,
    // the methods of a bridge as far as the watch uses them
  } as unknown as Bridge
  return { bridge, queries, emit: (name: string, event: unknown) => listeners.get(name)?.(event) }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

describe('the watch of the list', () => {
  test('shows the first window after the start', async () => {
    const host = numberedHost(1000)
    const store = createAppStore(memoryStorage())
    createListWatch(host.bridge, store).connected()
    await settled()
    const { list } = store.getState()
    expect([list.ids.length, list.total, list.rows.size, list.isKnown]).toEqual([200, 1000, 200, true])
  })

  test('follows the user down a long list', async () => {
    const host = numberedHost(100_000)
    const store = createAppStore(memoryStorage())
    const watch = createListWatch(host.bridge, store)
    watch.connected()
    await settled()
    watch.setVisible(50_000, 50_020)
    await settled()
    expect([store.getState().list.offset, store.getState().list.ids[50]]).toEqual([49_900, '49950'])
  })

  test('takes no window event that may still be about the old place', async () => {
    const host = numberedHost(1000)
    const store = createAppStore(memoryStorage())
    const watch = createListWatch(host.bridge, store)
    watch.connected()
    await settled()
    watch.setVisible(600, 620)
    const window = { ids: ['0'], total: 1, counts: store.getState().list.counts }
    host.emit('list.window', { epoch: 'e', revision: 1, window, rows: [] })
    await settled()
    expect(store.getState().list.offset).toBe(500)
    expect(store.getState().list.ids[0]).toBe('500')
    expect(store.getState().list.revision).toBe(1)
  })

  test('asks again after news from another life of the host', async () => {
    const host = numberedHost(10)
    const store = createAppStore(memoryStorage())
    createListWatch(host.bridge, store).connected()
    await settled()
    host.emit('tasks.changed', { epoch: 'one', revision: 1, patches: [] })
    host.emit('tasks.changed', { epoch: 'two', revision: 1, patches: [] })
    await settled()
    expect(host.queries.length).toBe(2)
  })

  test('asks again when an event is missing, but not when a new connection counts anew', async () => {
    const host = numberedHost(10)
    const store = createAppStore(memoryStorage())
    const watch = createListWatch(host.bridge, store)
    watch.connected()
    await settled()
    host.emit('tasks.changed', { epoch: 'one', revision: 1, patches: [] })
    host.emit('tasks.changed', { epoch: 'one', revision: 3, patches: [] })
    await settled()
    expect(host.queries.length).toBe(2)
    watch.connected()
    await settled()
    host.emit('tasks.changed', { epoch: 'one', revision: 1, patches: [{ id: '3', progress: 50 }] })
    expect(store.getState().list.rows.get('3')?.progress).toBe(50)
    expect(host.queries.length).toBe(3)
  })

  test('keeps the keyboard in its place when its task is removed', async () => {
    const host = numberedHost(10)
    const store = createAppStore(memoryStorage())
    createListWatch(host.bridge, store).connected()
    await settled()
    store.setState({ cursor: selectOnly('3') })
    host.emit('tasks.removed', { epoch: 'one', revision: 1, ids: ['3'] })
    expect(store.getState().cursor.active).toBe('4')
  })

  test('reads the whole order page by page', async () => {
    const host = numberedHost(1200)
    const watch = createListWatch(host.bridge, createAppStore(memoryStorage()))
    const order = await watch.wholeOrder()
    expect([order?.length, order?.at(-1), host.queries.length]).toEqual([1200, '1199', 3])
  })
})

describe('what is remembered of the window', () => {
  test('is the view, but not the search', () => {
    const storage = memoryStorage()
    createAppStore(storage).setState({
      view: { filter: 'failed', search: 'x', sort: 'title', order: 'asc' },
      limitWhenOn: 2_000_000,
    })
    const { view, limitWhenOn } = createAppStore(storage).getState()
    expect([view, limitWhenOn]).toEqual([
      { filter: 'failed', search: '', sort: 'title', order: 'asc' },
      2_000_000,
    ])
  })

  test.each(['not json', '{"view":{"filter":"gone"}}', '[]', 'null', '{"limitWhenOn":-1}'])(
    'is left out when it is not understood: %s',
    (text) => {
      const storage = memoryStorage()
      storage.setItem('sluice.window', text)
      const { view, limitWhenOn } = createAppStore(storage).getState()
      expect([view.filter, view.sort, limitWhenOn]).toEqual(['all', 'created', 5_000_000])
    },
  )
})
