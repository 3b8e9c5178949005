import { describe, expect, test } from 'vitest'
import type { SendEvent } from '../../src/core/service.ts'
import type { Events } from '../../src/shared/contract/events.ts'
import type { EventName } from '../../src/shared/contract/names.ts'
import type { ListQuery, TaskRow } from '../../src/shared/view.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

const all: ListQuery = { filter: 'all', search: '', sort: 'created', order: 'asc', offset: 0, limit: 100 }

/** What a client makes of its events: its rows are those of the host, without asking again. */
class ClientModel {
  readonly seen: { name: EventName; event: Events[EventName] }[] = []
  readonly rows = new Map<string, TaskRow>()
  ids: string[] = []
  revision = 0

  readonly send: SendEvent = (name, event) => {
    this.seen.push({ name, event })
    this.#take(name, event)
  }

  #take(name: EventName, event: Events[EventName]): void {
    if ('revision' in event) {
      expect(event.revision).toBe(this.revision + 1)
      this.revision = event.revision
    }
    if (name === 'list.window' && 'window' in event) {
      this.ids = event.window.ids
      for (const row of event.rows) this.rows.set(row.id, row)
      for (const id of [...this.rows.keys()]) if (!this.ids.includes(id)) this.rows.delete(id)
    }
    if (name === 'tasks.changed' && 'patches' in event) {
      for (const patch of event.patches) {
        const row = this.rows.get(patch.id)
        if (row === undefined) throw new Error(`a patch for ${patch.id}, which is not shown`)
        this.rows.set(patch.id, { ...row, ...withoutUndefined(patch) })
      }
    }
    if (name === 'tasks.removed' && 'ids' in event) for (const id of event.ids) this.rows.delete(id)
  }

  count(name: EventName): number {
    return this.seen.filter((entry) => entry.name === name).length
  }
}

function withoutUndefined(patch: object): Partial<TaskRow> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
}

async function watched(host: TestHost, query: ListQuery = all): Promise<ClientModel> {
  const model = new ClientModel()
  const answer = await host.service.connect(model.send).watchList(query)
  expect(answer.ok).toBe(true)
  return model
}

describe('a watched window', () => {
  test('follows everything that happens, by patches alone', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const model = await watched(host)
    const ids = await host.add(...plainLinks(3), 'http://host.test/pair/9')
    await host.clock.advance(1000)
    const [a = '', b = ''] = ids
    await host.finish(a)
    await host.advance(a, 300)
    await host.clock.advance(1000)
    await host.call('tasks.pause', { ids: [b] })
    await host.finish(a)
    await host.clock.advance(1000)
    await host.call('tasks.delete', { target: { ids: [b] }, deleteFiles: false, undoable: true })
    await host.clock.advance(20_000)
    const { ids: shown, rows } = await host.call('list.query', all)
    expect(model.ids).toEqual(shown)
    expect([...model.rows.values()].toSorted((x, y) => (x.id < y.id ? -1 : 1))).toEqual(
      rows.toSorted((x, y) => (x.id < y.id ? -1 : 1)),
    )
    expect(model.rows.has(b)).toBe(false)
  })

  test('is told at most five times a second, however much is reported', async () => {
    const host = await startedHost({ maxConcurrentTasks: 3 })
    const ids: string[] = []
    for (const link of plainLinks(3)) ids.push(await host.addRunning(link))
    const model = await watched(host)
    await host.clock.advance(1000)
    const before = model.count('tasks.changed')
    const windows = model.count('list.window')
    for (let tick = 0; tick < 100; tick++) {
      for (const id of ids) await host.advance(id, 3)
      await host.clock.advance(20)
    }
    expect(model.count('tasks.changed') - before).toBeLessThanOrEqual(11)
    expect(model.count('tasks.changed') - before).toBeGreaterThan(5)
    expect(model.count('list.window') - windows).toBeLessThanOrEqual(1)
  })

  test('gets only the fields that differ', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const model = await watched(host)
    await host.clock.advance(2000)
    model.seen.length = 0
    await host.advance(id, 100)
    await host.clock.advance(300)
    const patch = model.seen.find((entry) => entry.name === 'tasks.changed')?.event
    if (patch === undefined || !('patches' in patch)) throw new Error('nothing was sent')
    expect(Object.keys(patch.patches[0] ?? {})).not.toContain('title')
    expect(Object.keys(patch.patches[0] ?? {})).toContain('doneBytes')
  })

  test('hears nothing of tasks outside it', async () => {
    const host = await startedHost({ maxConcurrentTasks: 5 })
    const model = await watched(host, { ...all, limit: 1 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    await host.clock.advance(2000)
    await host.finish(b)
    await host.clock.advance(2000)
    expect([...model.rows.keys()]).toEqual([a])
  })

  test('an idle host sends nothing and sets no timer', async () => {
    const host = await startedHost()
    const model = await watched(host)
    await host.add(...plainLinks(2)).then((ids) => host.call('tasks.pause', { ids }))
    await settled()
    await host.clock.advance(5000)
    const before = model.seen.length
    const timers = host.clock.pendingTimers
    await host.clock.advance(600_000)
    expect(model.seen.length).toBe(before)
    expect(timers).toBeLessThanOrEqual(1)
  })

  test('refuses a query that is none', async () => {
    const host = await startedHost()
    const answer = await host.client.watchList({ ...all, limit: 100_000 })
    expect(answer).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } })
  })
})

describe('speed', () => {
  test('C084 counts what arrives, not what was there, and falls to zero when nothing flows', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.advance(id, 500)
    await host.call('tasks.pause', { ids: [id] })
    await host.call('tasks.restart', { ids: [id] })
    const shown = async () => (await host.call('tasks.rows', { ids: [id] })).rows[0]
    for (let tick = 0; tick < 20; tick++) {
      await host.advance(id, 10)
      await host.clock.advance(100)
      expect((await shown())?.bytesPerSecond).toBeLessThanOrEqual(130)
    }
    expect((await shown())?.bytesPerSecond).toBeGreaterThan(20)
    await host.clock.advance(3000)
    expect(await shown()).toMatchObject({ bytesPerSecond: 0, remainingSeconds: null })
    host.clock.jumpWall(-3_600_000)
    expect(await shown()).toMatchObject({ bytesPerSecond: 0, remainingSeconds: null })
  })
})

describe('notices', () => {
  test('B3 "completed" is said only when the task is, once; "all finished" when nothing is left', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const model = new ClientModel()
    host.service.connect(model.send)
    const id = await host.addRunning('http://host.test/plain/1')
    const kinds = () =>
      model.seen.flatMap(({ name, event }) => (name === 'notice' && 'kind' in event ? [event.kind] : []))
    await host.call('tasks.pause', { ids: [id] })
    expect(kinds()).toEqual(['all-finished'])
    await host.call('tasks.restart', { ids: [id] })
    await host.finish(id)
    await settled()
    expect(kinds()).toEqual(['all-finished', 'completed', 'all-finished'])
  })
})
