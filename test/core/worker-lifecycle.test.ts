/**
 * The invariants of supervised workers (section 3.3 of the survey of origins), by their numbers; where the task model
 * decides otherwise, its outcome is what is tested. 3.3.9 (nothing that was started survives) and 3.3.12 (a reused pid
 * is never signalled) take real processes: test/processes, test/contracts.
 */
import { describe, expect, test } from 'vitest'
import { deriveState } from '../../src/shared/task/derive.ts'
import { stepStates, taskStates } from '../../src/shared/task/model.ts'
import { taskRowSchema } from '../../src/shared/view.ts'
import { downloads } from '../fakes/core-world.ts'
import { settled } from '../fakes/fake-clock.ts'
import { startedHost } from './hosts.ts'
import type { TestHost } from './hosts.ts'

async function beat(host: TestHost, id: string, seconds: number): Promise<void> {
  const worker = await host.workerOf(id)
  for (let second = 0; second < seconds; second += 2) {
    worker.report({ kind: 'heartbeat' })
    await host.clock.advance(2000)
  }
}

const remove = (host: TestHost, id: string) =>
  host.call('tasks.delete', { target: { ids: [id] }, deleteFiles: true, undoable: false })

describe('a supervised worker', () => {
  test('3.3.1: states come from one list: what is derived and what is shown are members of it', () => {
    for (const one of stepStates) {
      for (const other of stepStates) {
        expect(taskStates).toContain(deriveState([{ state: one }, { state: other }]))
      }
    }
    expect(taskRowSchema.shape.state.options).toEqual([...taskStates])
  })

  test('3.3.2: its end of a step changes nothing unless the step runs under its token', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const [running] = await host.ordersOf(id)
    if (running === undefined) throw new Error('nothing runs')
    await host.call('tasks.pause', { ids: [id] })
    const before = host.stored()
    const { stepId } = running.order
    const error = { code: 'NOT_FOUND' as const, message: 'late', hint: '' }
    running.worker.raw({
      ...running.worker.envelope(),
      kind: 'outcome',
      stepId,
      outcome: { kind: 'failed', error },
      isLast: true,
    })
    await settled()
    expect(host.stored()).toBe(before)
    expect(await host.state(id)).toBe('PAUSED')
  })

  test('3.3.3: who holds a file is counted by tasks, and a cancelled one that goes takes no other with it', async () => {
    const host = await startedHost()
    const done = await host.addRunning('http://host.test/plain/1')
    await host.finish(done)
    const path = `${downloads}/file.bin`
    const cancelled = await host.addRunning('http://host.test/plain/1')
    await host.call('tasks.cancel', { ids: [cancelled] })
    for (let again = 0; again < 2; again++) await remove(host, cancelled)
    expect((await host.store.claimsOn(path)).map((claim) => claim.taskId)).toEqual([done])
    expect(host.files.paths()).toEqual([path])
  })

  test('3.3.4: no file is removed while a live process may write it', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    worker.unkillable = true
    await remove(host, id)
    await host.clock.advance(60_000)
    expect(worker.killed).toBe(true)
    expect(host.files.removedFolders).toEqual([])
    worker.end({ kind: 'exited', code: null, signal: 'SIGKILL' })
    await host.clock.advance(100)
    expect(host.files.removedFolders).toHaveLength(1)
  })

  test('3.3.5: one that goes a while after its end is not killed, and the end is told once', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    worker.wedged = true
    await host.finish(id)
    await host.clock.advance(9000)
    expect(worker.killed).toBe(false)
    worker.end({ kind: 'returned' })
    await host.clock.advance(20_000)
    expect(worker.killed).toBe(false)
    const told = host.events.filter(
      ({ name, event }) => name === 'notice' && 'kind' in event && event.kind === 'completed',
    )
    expect(told).toHaveLength(1)
  })

  test('3.3.6: one that is wedged after its end is killed, the state stays, the slot is free', async () => {
    const host = await startedHost({ maxConcurrentTasks: 1 })
    const id = await host.addRunning('http://host.test/plain/1')
    const [other = ''] = await host.add('http://host.test/plain/2')
    const worker = await host.workerOf(id)
    worker.wedged = true
    await host.finish(id)
    expect(host.waiting()).toEqual([other])
    await host.clock.advance(11_000)
    expect(worker.killed).toBe(true)
    expect(await host.state(id)).toBe('COMPLETED')
    expect(host.running()).toEqual([other])
  })

  test('3.3.7: one that is stalled and deaf is gone within the limit, 5 s and one poll; its task goes on', async () => {
    const host = await startedHost({ stallTimeoutSeconds: 30 })
    const id = await host.addRunning('http://host.test/plain/1')
    await host.advance(id, 300)
    const worker = await host.workerOf(id)
    host.workers.deaf.add(worker)
    await beat(host, id, 30)
    expect(worker.killed).toBe(false)
    await host.clock.advance(6000)
    expect(worker.killed).toBe(true)
    const step = await host.step(id, 'download')
    expect(step).toMatchObject({ state: 'RUNNING', failures: 1, checkpoint: { ranges: [[0, 300]] } })
    expect((await host.store.attempts(id))[1]?.end?.reason).toBe('stalled')
  })

  test('3.3.8: one that is heard with unchanged figures is left alone', async () => {
    const host = await startedHost({ stallTimeoutSeconds: 150 })
    const id = await host.addRunning('http://host.test/plain/1')
    const worker = await host.workerOf(id)
    await beat(host, id, 140)
    expect([worker.alive, worker.killed]).toEqual([true, false])
    expect(worker.received.every((message) => message.kind !== 'stop-steps')).toBe(true)
  })

  test('3.3.10 invariant 26: a fault in its supervision ends it and its processes, never the host', async () => {
    const host = await startedHost()
    const id = await host.addRunning('http://host.test/plain/1')
    const sound = await host.addRunning('http://host.test/plain/2')
    const worker = await host.workerOf(id)
    worker.send = () => {
      throw new Error('the channel is broken')
    }
    for (let second = 0; second < 17; second += 1) {
      const other = await host.workerOf(sound)
      other.report({ kind: 'heartbeat' })
      await host.clock.advance(1000)
    }
    expect(worker.killed).toBe(true)
    expect(host.faults).toContainEqual(expect.objectContaining({ message: 'the channel is broken' }))
    expect(await host.state(id)).toBe('RUNNING')
    expect((await host.workerOf(id)).pid).not.toBe(worker.pid)
    expect(await host.state(sound)).toBe('RUNNING')
  })

  test('3.3.11: after any end of it nothing is left running', async () => {
    const ends = ['crash', 'kill', 'returned'] as const
    for (const end of ends) {
      const host = await startedHost({ maxConcurrentTasks: 1 })
      const id = await host.addRunning('http://host.test/pair/1')
      const worker = await host.workerOf(id)
      host.workers.deaf.add(worker)
      await host.call('tasks.pause', { ids: [id] })
      if (end === 'crash') worker.crash()
      else if (end === 'kill') worker.kill()
      else worker.end({ kind: 'returned' })
      await settled()
      const task = await host.task(id)
      expect(task.steps.filter((step) => step.state === 'RUNNING')).toEqual([])
      expect(task.attempt).toBeNull()
      expect(await host.state(id)).toBe('PAUSED')
    }
  })
})
