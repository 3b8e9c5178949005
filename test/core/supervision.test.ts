import { describe, expect, test } from 'vitest'
import type { Change } from '../../src/core/ports.ts'
import { settled } from '../fakes/fake-clock.ts'
import type { FakeWorker } from '../fakes/fake-workers.ts'
import { startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

/** Time goes by while the worker says that its loop is alive. */
async function beat(host: TestHost, worker: FakeWorker, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 2) {
    worker.report({ kind: 'heartbeat' })
    await host.clock.advance(2000)
  }
}

describe('liveness', () => {
  test('a silent worker is asked to stop after 15 s and killed 5 s later; the task goes on', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    await host.clock.advance(14_000)
    expect(worker.received.some((message) => message.kind === 'stop-steps')).toBe(false)
    await host.clock.advance(2000)
    expect(worker.received.at(-1)?.kind).toBe('stop-steps')
    expect(worker.killed).toBe(false)
    await host.clock.advance(5000)
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('RUNNING')
    expect((await host.store.attempts(id)).map((attempt) => attempt.end?.reason)).toEqual([
      undefined,
      'silent',
    ])
  })

  test('a heartbeat with unchanged figures counts', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    await beat(host, worker, 120)
    expect(worker.alive).toBe(true)
    expect(worker.received.some((message) => message.kind === 'stop-steps')).toBe(false)
  })

  test('time during which the host slept does not count', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    await host.clock.suspend(8 * 3_600_000)
    await host.clock.advance(10_000)
    expect(worker.received.some((message) => message.kind === 'stop-steps')).toBe(false)
    await host.clock.advance(10_000)
    expect(worker.received.some((message) => message.kind === 'stop-steps')).toBe(true)
  })
})

describe('progress', () => {
  test('a download without progress is stopped at the stall limit and tried again where it was', async () => {
    const host = await startedHost({ stallTimeoutSeconds: 60 })
    const id = await host.addRunning('http://host.test/plain/1')
    await host.advance(id, 300)
    const worker = await host.workerOf(id)
    await beat(host, worker, 64)
    const step = await host.step(id, 'download')
    expect(step).toMatchObject({ state: 'RUNNING', failures: 1 })
    expect(worker.orders.get(step.id)?.checkpoint).toMatchObject({ ranges: [[0, 300]] })
  })

  test('a stalled mux fails', async () => {
    const host = await startedHost({ stallTimeoutSeconds: 60 })
    const id = await host.addRunning('http://host.test/pair/1')
    await host.finish(id)
    await beat(host, await host.workerOf(id), 64)
    expect(await host.state(id)).toBe('FAILED')
    expect((await host.step(id, 'mux')).error?.code).toBe('STALLED')
  })

  test('verifying and flushing count as progress', async () => {
    const host = await startedHost({ stallTimeoutSeconds: 60 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    for (let second = 0; second < 200; second += 10) {
      running?.worker.report({
        kind: 'progress',
        steps: [
          {
            stepId: running.order.stepId,
            doneBytes: 1000,
            size: 1000,
            fraction: 1,
            bytesPerSecond: 0,
            activity: 'verifying',
          },
        ],
      })
      await host.clock.advance(10_000)
    }
    expect((await host.step(id, 'download')).failures).toBe(0)
    expect(running?.worker.alive).toBe(true)
  })
})

describe('ends', () => {
  test('a worker that does not obey a pause is killed after 5 s, and the pause holds', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    await host.advance(id, 200)
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    await host.call('tasks.pause', { ids: [id] })
    expect(await host.state(id)).toBe('RUNNING')
    await host.clock.advance(6000)
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('PAUSED')
    expect((await host.step(id, 'download')).checkpoint).toMatchObject({ ranges: [[0, 200]] })
    expect((await host.task(id)).crashes).toBe(0)
  })

  test('a worker that has finished and does not go is killed after 10 s without touching the state', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    worker.wedged = true
    await host.finish(id)
    await settled()
    expect(await host.state(id)).toBe('COMPLETED')
    expect((await host.task(id)).attempt).not.toBeNull()
    await host.clock.advance(11_000)
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('COMPLETED')
    expect((await host.task(id)).attempt).toBeNull()
  })

  test('the last word of a worker ends step and attempt in one commit', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const { token } = (await host.task(id)).attempt ?? { token: 0 }
    const commits: Change[][] = []
    const { store } = host
    const commit = store.commit.bind(store)
    store.commit = (changes) => (commits.push([...changes]), commit(changes))
    await host.finish(id)
    const ending = commits.filter((changes) => changes.some((change) => change.kind === 'put-attempt'))
    expect(ending).toEqual([
      expect.arrayContaining([
        expect.objectContaining({ kind: 'require-running', taskId: id, token }),
        expect.objectContaining({ kind: 'put-job', job: expect.objectContaining({ taskId: id }) as unknown }),
        expect.objectContaining({
          kind: 'put-task',
          task: expect.objectContaining({ id, attempt: null }) as unknown,
        }),
      ]),
    ])
    expect((await store.attempts(id))[0]?.end?.reason).toBe('finished')
    expect(await host.state(id)).toBe('COMPLETED')
  })

  test('a name that cannot be made durable is not told as a completed file', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    host.files.failSyncing = true
    await host.finish(id)
    expect(await host.state(id)).toBe('PAUSED')
    expect((await host.task(id)).pause).toMatchObject({ kind: 'storage', resumesByItself: false })
    expect((await host.task(id)).attempt).toBeNull()
  })

  test('invariant 11: a worker that survives its kill keeps its slot and its task', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [other = ''] = await host.add('http://host.test/plain/2')
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    worker.unkillable = true
    await host.call('tasks.pause', { ids: [id] })
    await host.call('tasks.restart', { ids: [id] })
    await host.clock.advance(30_000)
    expect(worker.killed).toBe(true)
    expect(host.pool.workers).toHaveLength(1)
    expect(host.waiting()).toEqual([other])
    worker.end({ kind: 'exited', code: null, signal: 'SIGKILL' })
    await settled()
    expect(host.running()).toEqual([id])
    expect(host.pool.workers).toHaveLength(2)
  })

  test('the third crash in a row without new bytes fails the task with a code', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    for (let crash = 0; crash < 3; crash++) {
      ;(await host.workerOf(id)).crash()
      await settled()
    }
    expect(await host.state(id)).toBe('FAILED')
    expect((await host.task(id)).job.end?.error?.code).toBe('WORKER_CRASHED')
  })

  test('after a crash an attempt has its process for itself, the next life too, until bytes are durable', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    expect((await host.workerOf(id)).isAlone).toBe(false)
    ;(await host.workerOf(id)).crash()
    await settled()
    expect((await host.workerOf(id)).isAlone).toBe(true)
    await host.restartHost()
    await settled()
    expect((await host.workerOf(id)).isAlone).toBe(true)
    expect((await host.task(id)).crashes).toBe(1)
  })

  test('who loses his worker for the sake of another is not charged with it, and is alone the next time', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    for (let time = 0; time < 5; time++) {
      ;(await host.workerOf(id)).evict()
      await settled()
      expect(await host.task(id)).toMatchObject({ crashes: 0 })
      expect((await host.workerOf(id)).isAlone).toBe(true)
    }
    expect(await host.state(id)).toBe('RUNNING')
    const worker = await host.workerOf(id)
    await host.call('tasks.pause', { ids: [id] })
    await settled()
    expect(worker.alive).toBe(false)
    await host.call('tasks.restart', { ids: [id] })
    await settled()
    expect((await host.workerOf(id)).isAlone).toBe(false)
  })

  test('a process that an attempt starts is recorded before it may be used', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    worker.report({ kind: 'child-started', pid: 77, startTime: 's' })
    await settled()
    expect((await host.task(id)).attempt?.children).toEqual([{ pid: 77, startTime: 's' }])
    expect(worker.received.at(-1)).toMatchObject({ kind: 'child-recorded', pid: 77 })
    await host.restartHost()
    expect(host.pool.killedRecorded).toContainEqual({ pid: 77, startTime: 's' })
    expect(host.pool.killedRecorded).toContainEqual({ pid: worker.pid, startTime: worker.startTime })
  })
})
