/**
 * What went wrong in the systems that this one grew from, by the ids under which it was written down. Those that
 * have a place of their own are elsewhere: B1 (derive), B3 (events), B7 (outcome), B11 (edit), B13 (start-up),
 * B14 (conditions), B16 (names), B17, U5, U10 (scheduling), U1 (start-up), U6 (bad input); B12 is the engine's.
 */
import { describe, expect, test } from 'vitest'
import { taskState } from '../../src/shared/task/derive.ts'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { plainLinks, startedHost } from './hosts.ts'

describe('the task system', () => {
  test('B2 a preempted task is waiting once it has stopped, and nothing overwrites that later', async () => {
    const host = await startedHost({ maxConcurrentTasks: 2 })
    const first = await host.addRunning('http://host.test/plain/1')
    const id = await host.addRunning('http://host.test/plain/2')
    const worker = await host.workerOf(id)
    await host.call('settings.set', { maxConcurrentTasks: 1 })
    expect(await host.state(id)).toBe('WAITING')
    for (const { message } of host.workers.said.filter((entry) => entry.worker === worker))
      worker.raw(message)
    await settled()
    expect(await host.state(id)).toBe('WAITING')
    expect(host.running()).toEqual([first])
  })

  test('B4 a late end of an old run frees no slot of the new one', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [other = ''] = await host.add('http://host.test/plain/2')
    const old = await host.workerOf(id)
    old.crash()
    await settled()
    const fresh = await host.workerOf(id)
    old.end({ kind: 'exited', code: 1, signal: null })
    for (const { message } of [...host.workers.said]) fresh.raw(message)
    await settled()
    expect(host.running()).toEqual([id])
    expect(host.waiting()).toEqual([other])
  })

  test('B5 pause and start within the unwinding never let two runs write one file', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const old = await host.workerOf(id)
    host.workers.deaf.add(old)
    for (let round = 0; round < 5; round++) {
      await host.call('tasks.pause', { ids: [id] })
      await host.call('tasks.restart', { ids: [id] })
    }
    expect(host.pool.workers).toHaveLength(1)
    old.crash()
    await settled()
    expect(host.pool.workers).toHaveLength(2)
    expect(host.pool.alive).toHaveLength(1)
  })

  test('B5 a deletion while it runs waits for the end of the worker before it touches files', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    await host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })
    expect(host.files.removedFolders).toEqual([])
    await host.clock.advance(6000)
    expect(worker.killed).toBe(true)
    expect(host.files.removedFolders).toEqual([`${downloads}/.sluice-task-${id}`])
    expect(await host.store.load(id)).toBeUndefined()
  })

  test('B6 a cancel that comes before the worker prevents the start', async () => {
    const host = await startedHost()
    const gate = Promise.withResolvers<undefined>()
    host.pool.gate = gate.promise
    const [id = ''] = await host.add('http://host.test/plain/1')
    await host.call('tasks.cancel', { ids: [id] })
    expect(await host.state(id)).toBe('CANCELLED')
    gate.resolve(undefined)
    await settled()
    expect(host.pool.workers.flatMap((worker) => worker.received)).toEqual([])
    expect(host.pool.alive).toEqual([])
    expect(await host.store.attempts(id)).toEqual([])
  })

  test('B8 restart all starts no second run of what runs', async () => {
    const host = await startedHost()
    const ids = await host.add(...plainLinks(3))
    await host.call('tasks.restart', { query: { filter: 'all', search: '' } })
    await host.call('tasks.restart', { ids })
    expect(host.pool.workers).toHaveLength(3)
    expect(host.running()).toEqual(ids)
  })

  test('B9 deselecting the failed file of a failed task leaves no step running', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/list/1')
    for (const { worker, order } of await host.ordersOf(id)) host.workers.trouble(worker, order, 'fail')
    await settled()
    await host.work()
    const failed = await host.task(id)
    expect(taskState(failed)).toBe('FAILED')
    const good = failed.files
      .filter((file) => file.name !== 'one.bin' && file.selected)
      .map((file) => file.id)
    await host.call('tasks.select', { id, selected: good })
    const after = await host.task(id)
    expect(taskState(after)).toBe('COMPLETED')
    expect(after.job).toMatchObject({ number: 2, end: { state: 'COMPLETED' } })
    expect(after.steps.some((step) => step.state === 'RUNNING')).toBe(false)
    const { entries } = await host.call('history.list', { limit: 10 })
    expect(entries.map((job) => job.end?.state).toSorted()).toEqual(['COMPLETED', 'FAILED'])
  })

  test('B10 waiting always means that it has a place in the queue', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    await host.add(...plainLinks(2))
    const { results } = await host.call('tasks.add', {
      links: ['http://host.test/plain/9'],
      options: { startPaused: true },
    })
    const later = results[0]?.kind === 'added' ? results[0].id : ''
    expect(await host.state(later)).toBe('PAUSED')
    for (const id of host.waiting()) {
      const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
      expect(row?.queuePosition).toBeGreaterThan(0)
    }
  })

  test('B15 pause all lets a mux end, and the pause takes effect after it', async () => {
    const host = await startedHost()
    const film = await host.addRunning('http://host.test/pair/1')
    const plain = await host.addRunning('http://host.test/plain/2')
    await host.finish(film)
    await host.call('tasks.pause', { query: { filter: 'all', search: '' } })
    expect(await host.state(plain)).toBe('PAUSED')
    expect((await host.step(film, 'mux')).state).toBe('RUNNING')
    await host.finish(film)
    await settled()
    expect(await host.state(film)).toBe('COMPLETED')
    expect((await host.task(film)).request).toBeNull()
  })

  test('B18 many commands at once on one task are carried out one after the other', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const names = ['tasks.pause', 'tasks.restart', 'tasks.pause', 'tasks.cancel', 'tasks.restart'] as const
    const answers = await Promise.all(names.map((name) => host.client.call(name, { ids: [id] })))
    await settled()
    expect(answers.every((answer) => answer.ok)).toBe(true)
    expect(await host.state(id)).toBe('CANCELLED')
    expect(host.pool.alive).toEqual([])
  })
})

describe('the REST lifecycle', () => {
  test('U2 U3 a cancel holds its slot until the worker is gone, and a second one changes nothing', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [other = ''] = await host.add('http://host.test/plain/2')
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    const cancel = () => host.call('tasks.cancel', { ids: [id] })
    expect((await cancel()).results).toMatchObject([{ kind: 'done', changed: true }])
    expect((await cancel()).results).toMatchObject([{ kind: 'done', changed: false }])
    expect(await host.state(id)).toBe('RUNNING')
    expect(host.waiting()).toEqual([other])
    await host.clock.advance(6000)
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('CANCELLED')
    expect((await host.task(id)).finishedAt).not.toBeNull()
    expect(host.running()).toEqual([other])
  })

  test("U4 the worker's own code is the one that is stored and shown", async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    const message = 'the author of token= said 401'
    running?.worker.report({
      kind: 'outcome',
      stepId: running.order.stepId,
      outcome: { kind: 'failed', error: { code: 'MUX_ERROR', message, hint: 'h' } },
      isLast: true,
    })
    await settled()
    const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
    expect(row?.error).toMatchObject({ code: 'MUX_ERROR', message })
    expect((await host.task(id)).job.end?.error?.code).toBe('MUX_ERROR')
  })

  test('U7 a terminal task shows no speed, no activity and no time left', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    for (let tick = 0; tick < 5; tick++) {
      await host.advance(id, 50)
      await host.clock.advance(200)
    }
    await host.finish(id)
    await settled()
    const [row] = (await host.call('tasks.rows', { ids: [id] })).rows
    expect(row).toMatchObject({
      state: 'COMPLETED',
      progress: 100,
      bytesPerSecond: 0,
      remainingSeconds: null,
      active: [],
      outputs: [`${downloads}/file.bin`],
    })
  })

  test('U8 clear finished takes what has ended and nothing else; its history stays', async () => {
    const host = await startedHost()
    const complete = await host.addRunning('http://host.test/plain/1')
    await host.finish(complete)
    const running = await host.addRunning('http://host.test/plain/2')
    const paused = await host.addRunning('http://host.test/plain/3')
    await host.call('tasks.pause', { ids: [paused] })
    expect(await host.call('tasks.clearFinished', {})).toEqual({ removed: 1 })
    expect([...host.store.snapshot().tasks.keys()]).toEqual([running, paused])
    expect(host.files.paths()).toContain(`${downloads}/file.bin`)
    expect((await host.call('history.list', { limit: 10 })).entries).toHaveLength(1)
  })

  test('U9 times are milliseconds since 1970, of one clock', async () => {
    const host = await startedHost()
    const before = host.clock.now()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.finish(id)
    await settled()
    const { createdAt, finishedAt, job } = await host.task(id)
    for (const time of [createdAt, finishedAt, job.createdAt, job.startedAt, job.end?.at]) {
      expect(time).toBeGreaterThanOrEqual(before)
      expect(time).toBeLessThanOrEqual(host.clock.now())
    }
  })
})
