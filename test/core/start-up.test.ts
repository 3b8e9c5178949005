import { describe, expect, test } from 'vitest'
import { settled } from '../fakes/fake-clock.ts'
import { downloads } from '../fakes/core-world.ts'
import { plainLinks, startedHost } from './hosts.ts'

describe('start-up', () => {
  test('U1 tasks that ran go on first, in the order of their tokens, then those that waited', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const [a = '', b = '', c = '', d = ''] = await host.add(...plainLinks(4))
    await host.call('tasks.move', { ids: [d], before: 'front' })
    host.crash()
    await host.start()
    expect(host.running()).toEqual([a, b])
    expect(host.waiting()).toEqual([d, c])
    expect((await host.store.attempts(a)).map((attempt) => attempt.end?.reason)).toEqual([undefined, 'lost'])
  })

  test('the same tasks run after a clean exit as after a crash', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const [a = '', b = '', c = ''] = await host.add(...plainLinks(3))
    const stopped = host.service.stop(5000)
    await host.clock.advance(1000)
    await stopped
    expect(host.running()).toEqual([])
    expect(host.waiting()).toEqual([a, b, c])
    expect((await host.store.reopen().openAttempts()).length).toBe(0)
    await host.restartHost()
    expect(host.running()).toEqual([a, b])
  })

  test('who waits again already keeps its place at a quit, though its worker has not gone yet', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const [a = '', b = ''] = await host.add(...plainLinks(2))
    const worker = await host.workerOf(a)
    worker.wedged = true
    await host.call('tasks.pause', { ids: [a] })
    await settled()
    await host.call('tasks.restart', { ids: [a] })
    expect(host.waiting()).toEqual([b, a])
    expect((await host.task(a)).attempt).not.toBeNull()
    const stopped = host.service.stop(5000)
    await host.clock.advance(6000)
    await stopped
    expect(host.waiting()).toEqual([b, a])
  })

  test('a worker that does not stop in time is killed, and its task goes on at the next start', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.advance(id, 500)
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    const stopped = host.service.stop(5000)
    await host.clock.advance(6000)
    await stopped
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('WAITING')
    await host.restartHost()
    const [running] = await host.ordersOf(id)
    expect(running?.order.checkpoint).toMatchObject({ ranges: [[0, 500]] })
    expect((await host.task(id)).crashes).toBe(0)
  })

  test('with the policy "pause" nothing runs by itself', async () => {
    const host = await startedHost({ startupPolicy: 'pause' })
    const ids = await host.add(...plainLinks(2))
    await host.restartHost()
    expect(host.running()).toEqual([])
    for (const id of ids) expect((await host.task(id)).pause?.kind).toBe('user')
  })

  test('a file that got its name before the crash is complete; one that did not is made again', async () => {
    for (const moment of ['before', 'after'] as const) {
      const host = await startedHost()
      const id = await host.addRunning('http://host.test/plain/1')
      const [running] = await host.ordersOf(id)
      if (running === undefined) throw new Error('nothing runs')
      host.workers.deaf.add(running.worker)
      host.workers.finish(running.worker, running.order)
      await settled()
      const { publishing } = await host.step(id, 'download')
      expect(publishing?.to).toBe(`${downloads}/file.bin`)
      if (publishing !== null && moment === 'after') host.files.rename(publishing.from, publishing.to)
      host.workers.deaf.clear()
      await host.restartHost()
      expect(await host.state(id)).toBe(moment === 'after' ? 'COMPLETED' : 'RUNNING')
      expect((await host.step(id, 'download')).publishing).toBeNull()
    }
  })

  test('a link that was made but whose old name was left is the same file, and complete', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    if (running === undefined) throw new Error('nothing runs')
    host.workers.deaf.add(running.worker)
    host.workers.finish(running.worker, running.order)
    await settled()
    const { publishing } = await host.step(id, 'download')
    if (publishing !== null) host.files.link(publishing.from, publishing.to)
    host.workers.deaf.clear()
    await host.restartHost()
    expect(await host.state(id)).toBe('COMPLETED')
    expect(host.files.paths()).toEqual([`${downloads}/file.bin`])
  })

  test("a stranger's file under the granted name is not taken for ours", async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    if (running === undefined) throw new Error('nothing runs')
    host.workers.deaf.add(running.worker)
    host.workers.finish(running.worker, running.order)
    await settled()
    host.files.write(`${downloads}/file.bin`, 7)
    host.workers.deaf.clear()
    await host.restartHost()
    await host.work()
    expect(await host.state(id)).toBe('COMPLETED')
    expect(host.files.stat(`${downloads}/file.bin`)?.size).toBe(7)
    expect(host.files.paths()).toContain(`${downloads}/file (1).bin`)
  })

  test('the third unclean end in a row pauses what ran, a clean one forgives', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.restartHost()
    await host.restartHost()
    expect(await host.state(id)).toBe('RUNNING')
    await host.restartHost()
    expect((await host.task(id)).pause?.kind).toBe('crash')
    await host.call('tasks.restart', { ids: [id] })
    const stopped = host.service.stop(5000)
    await host.clock.advance(1000)
    await stopped
    await host.restartHost()
    await host.restartHost()
    await host.restartHost()
    expect(await host.state(id)).toBe('RUNNING')
  })

  test('is idempotent: a crash during it is only another start', async () => {
    const host = await startedHost()
    const [id = '', other = ''] = await host.add(...plainLinks(2))
    host.workers.deaf.add(await host.workerOf(id))
    await host.call('tasks.cancel', { ids: [id] })
    for (let allowed = 0; allowed < 6; allowed++) {
      host.crash()
      host.failAfter(allowed)
      await host.start().catch(() => undefined)
    }
    host.crash()
    await host.start()
    expect(await host.state(id)).toBe('CANCELLED')
    expect(await host.state(other)).not.toBe('CANCELLED')
    const history = await host.call('history.list', { limit: 100 })
    expect(history.entries.filter((job) => job.taskId === id)).toHaveLength(1)
  })

  test('one task that cannot be settled keeps no other from starting', async () => {
    const host = await startedHost()
    const [bad = '', good = ''] = await host.add(...plainLinks(2))
    host.workers.deaf.add(await host.workerOf(bad))
    await host.call('tasks.redownload', { ids: [bad] })
    host.crash()
    host.files.failRemoving = true
    await host.start()
    expect(host.running()).toContain(good)
    expect(host.faults.length).toBeGreaterThan(0)
  })

  test('B13 C079 a deletion that a crash interrupted is finished, and the task never comes back', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: true })
    await host.restartHost()
    expect(await host.store.load(id)).toBeUndefined()
    await host.restartHost()
    expect((await host.call('tasks.rows', { ids: [id] })).rows).toEqual([])
  })

  test('C072 a complete task is never run again, also when its file is gone', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    expect(await host.state(id)).toBe('COMPLETED')
    host.files.delete(`${downloads}/file.bin`)
    for (let start = 0; start < 3; start++) await host.restartHost()
    expect(host.pool.workers).toEqual([])
    expect(await host.state(id)).toBe('COMPLETED')
  })

  test('C074 rows of every state come back as they were', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const complete = await host.addRunning('http://host.test/plain/1')
    await host.finish(complete)
    const failed = await host.addRunning('http://host.test/plain/2')
    for (const { worker, order } of await host.ordersOf(failed)) host.workers.trouble(worker, order, 'fail')
    await settled()
    const paused = await host.addRunning('http://host.test/pair/3')
    await host.advance(paused, 100)
    await host.call('tasks.pause', { ids: [paused] })
    const cancelled = await host.addRunning('http://host.test/plain/4')
    await host.call('tasks.cancel', { ids: [cancelled] })
    await settled()
    const ids = [complete, failed, paused, cancelled]
    const before = await host.call('tasks.rows', { ids })
    await host.restartHost()
    expect(await host.call('tasks.rows', { ids })).toEqual(before)
  })
})
