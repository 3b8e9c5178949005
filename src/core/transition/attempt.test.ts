import { describe, expect, test } from 'vitest'
import { taskState } from '../../shared/task/derive.ts'
import type { Output, Task } from '../../shared/task/model.ts'
import { sampleAttempt } from '../../../test/contracts/sample-task.ts'
import { notFound, now, stepOf, tasks, testContext } from '../../../test/fakes/task-states.ts'
import type { AttemptEnd, EndFacts } from './attempt.ts'
import { beginAttempt, endAttempt } from './attempt.ts'
import { withCheckpoint } from './reports.ts'

function facts(reason: AttemptEnd, overrides: Partial<EndFacts> = {}): EndFacts {
  return { reason, published: new Map(), stillHeld: new Set(), ...overrides }
}

describe('the begin of an attempt', () => {
  test('runs the first stage, as many tracks at once as may be', () => {
    const attempt = sampleAttempt('t', 8)
    const two = beginAttempt(tasks.WAITING, attempt, testContext())
    expect(two.effects).toEqual([{ kind: 'start-steps', stepIds: ['video', 'audio'] }])
    expect(two.task).toMatchObject({ attempt, rank: null })
    const one = beginAttempt(tasks.WAITING, attempt, testContext({ tracksAtOnce: 1 }))
    expect(one.effects).toEqual([{ kind: 'start-steps', stepIds: ['video'] }])
  })
})

describe('the end of an attempt', () => {
  const reasons: AttemptEnd[] = ['finished', 'stopped', 'crashed', 'stalled', 'silent', 'lost']
  test.each(reasons)('by "%s" leaves no step running and no owner', (reason) => {
    for (const state of ['RUNNING', 'MUXING'] as const) {
      const { task, endedAttempt } = endAttempt(tasks[state], facts(reason), testContext())
      expect(task.attempt).toBeNull()
      expect(task.steps.some((step) => step.state === 'RUNNING')).toBe(false)
      expect(endedAttempt?.end).toEqual({ at: now, reason })
    }
  })

  test('by a crash goes on at the head from the last checkpoint', () => {
    const { task } = endAttempt(tasks.RUNNING, facts('crashed'), testContext())
    expect(taskState(task)).toBe('WAITING')
    expect(task).toMatchObject({ rank: -1, crashes: 1 })
    expect(stepOf(task, 'video').checkpoint).toEqual(stepOf(tasks.RUNNING, 'video').checkpoint)
  })

  test('by the third crash without new bytes fails, with new bytes in between it does not', () => {
    const twice: Task = { ...tasks.RUNNING, crashes: 2 }
    const { task } = endAttempt(twice, facts('crashed'), testContext())
    expect(taskState(task)).toBe('FAILED')
    expect(task.job.end?.error?.code).toBe('WORKER_CRASHED')
    const grew = withCheckpoint(twice, 'video', {
      kind: 'ranges',
      fileName: 'video',
      length: 1000,
      validator: null,
      finalUrl: '',
      ranges: [[0, 500]],
      fronts: [],
    })
    expect(taskState(endAttempt(grew, facts('crashed'), testContext()).task)).toBe('WAITING')
  })

  test('at the third unclean end of the app in a row pauses the task, so that it cannot take the app along', () => {
    const { task } = endAttempt({ ...tasks.RUNNING, uncleanEnds: 2 }, facts('lost'), testContext())
    expect(task.pause?.kind).toBe('crash')
    expect(
      endAttempt({ ...tasks.RUNNING, uncleanEnds: 2 }, facts('crashed'), testContext()).task.uncleanEnds,
    ).toBe(0)
  })

  test('invariant 14: carries out what was asked for in the same transaction', () => {
    const ends = (request: Task['request']) =>
      endAttempt({ ...tasks.RUNNING, request }, facts('crashed'), testContext()).task
    expect(taskState(ends({ kind: 'pause', at: 1 }))).toBe('PAUSED')
    expect(taskState(ends({ kind: 'cancel', at: 1 }))).toBe('CANCELLED')
    expect(ends({ kind: 'requeue', at: 1, rank: -9 }).rank).toBe(-9)
    expect(ends({ kind: 'pause', at: 1 }).crashes).toBe(0)
    const deleted = ends({ kind: 'delete', at: 1, deleteFiles: true, purgeAt: 9 })
    expect(deleted.request?.kind).toBe('delete')
    expect(taskState(deleted)).toBe('PAUSED')
  })

  test('redownload ends the running life as cancelled and opens another', () => {
    const asked: Task = { ...tasks.RUNNING, request: { kind: 'redownload', at: 1 } }
    const { task, jobs } = endAttempt(asked, facts('stopped'), testContext())
    expect(jobs).toMatchObject([{ id: tasks.RUNNING.job.id, end: { state: 'CANCELLED' } }])
    expect(task.job).toMatchObject({ number: 2, end: null })
    expect(task.steps.every((step) => step.state === 'WAITING' && step.doneBytes === 0)).toBe(true)
  })

  describe('settles a step with leave to publish by both names', () => {
    const leave = { from: '/downloads/.w/mux', to: '/downloads/film.mp4' }
    const publishing: Task = {
      ...tasks.MUXING,
      steps: tasks.MUXING.steps.map((step) => (step.id === 'mux' ? { ...step, publishing: leave } : step)),
    }
    const output: Output = { path: leave.to, size: 1900, identity: 'f' }

    test('named: it is complete, also when a cancel came later', () => {
      for (const request of [null, { kind: 'cancel' as const, at: 1 }]) {
        const published = new Map([['mux', output]])
        const { task } = endAttempt({ ...publishing, request }, facts('lost', { published }), testContext())
        expect(taskState(task)).toBe('COMPLETED')
        expect(stepOf(task, 'mux').output).toEqual(output)
        expect(task.request).toBeNull()
      }
    })

    test('not named: it is made again', () => {
      const { task } = endAttempt(publishing, facts('lost', { stillHeld: new Set(['mux']) }), testContext())
      expect(taskState(task)).toBe('WAITING')
      expect(stepOf(task, 'mux')).toMatchObject({ state: 'WAITING', publishing: null })
    })
  })

  test('leaves a failure that is held, and the other files go on', () => {
    const steps = tasks.RUNNING.steps.map((step) =>
      step.id === 'video' ? { ...step, state: 'WAITING' as const, error: notFound } : step,
    )
    const other = { id: 'b', index: 1, name: 'b.bin', size: null, selected: true }
    const extra = { ...stepOf(tasks.WAITING, 'video'), id: 'other', fileId: 'b', kind: 'download' as const }
    const task: Task = { ...tasks.RUNNING, files: [...tasks.RUNNING.files, other], steps: [...steps, extra] }
    const ended = endAttempt(task, facts('crashed'), testContext()).task
    expect(taskState(ended)).toBe('WAITING')
    expect(stepOf(ended, 'video').error).toEqual(notFound)
    const begun = beginAttempt(ended, sampleAttempt('t', 9), testContext())
    expect(begun.effects).toEqual([{ kind: 'start-steps', stepIds: ['other'] }])
  })
})
