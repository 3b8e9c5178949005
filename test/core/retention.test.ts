import { describe, expect, test } from 'vitest'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'

const hour = 3_600_000

describe('what has ended', () => {
  test('leaves the list after the retention period, looked at once an hour; files and history stay', async () => {
    const host = await startedHost({ retentionHours: 24 })
    const done = await host.addRunning('http://host.test/plain/1')
    await host.finish(done)
    const [paused = ''] = await host.add('http://host.test/plain/2')
    await host.call('tasks.pause', { ids: [paused] })
    await host.clock.advance(23 * hour)
    expect([...host.store.peek().tasks.keys()]).toEqual([done, paused])
    await host.clock.advance(2 * hour)
    expect([...host.store.peek().tasks.keys()]).toEqual([paused])
    expect(host.files.paths()).toEqual([`${downloads}/file.bin`])
    expect((await host.call('history.list', { limit: 10 })).entries).toMatchObject([{ taskId: done }])
  })

  test('stays for ever unless a period was chosen', async () => {
    const host = await startedHost()
    const done = await host.addRunning('http://host.test/plain/1')
    await host.finish(done)
    await host.clock.advance(1000 * hour)
    expect([...host.store.peek().tasks.keys()]).toEqual([done])
  })

  test('is remembered as often as the setting says, the newest', async () => {
    const host = await startedHost({ historyLimit: 3, maxConcurrentTasks: 1 })
    const ids = await host.add(...plainLinks(5))
    for (const id of ids) {
      await host.call('tasks.cancel', { ids: [id] })
      await host.clock.advance(1000)
    }
    await host.clock.advance(hour)
    const { entries } = await host.call('history.list', { limit: 10 })
    expect(entries.map((job) => job.taskId)).toEqual(ids.slice(2).toReversed())
  })

  test('keeps its error, in words, over a restart of the host and in the history', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, 'fail')
    await settled()
    await host.restartHost()
    const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
    expect(row?.error).toMatchObject({ code: 'CHECKSUM_MISMATCH', message: expect.any(String) as string })
    const { entries } = await host.call('history.list', { limit: 10 })
    expect(entries[0]?.end?.error?.code).toBe('CHECKSUM_MISMATCH')
  })
})
