import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { taskState } from '../../shared/task/derive.ts'
import type { ErrorCode, ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Task } from '../../shared/task/model.ts'
import { stepOf, tasks, testContext } from '../../../test/fakes/task-states.ts'
import type { StateName } from '../../../test/fakes/task-states.ts'
import * as operations from './operate.ts'
import { review } from './review.ts'
import type { Decision, TransitionContext } from './transition.ts'

const ctx = (): TransitionContext => testContext()
const none: ReadonlySet<string> = new Set()

const changedPlan = {
  title: 'other',
  service: 'example.org',
  files: [
    {
      name: 'other.mp4',
      size: null,
      selected: true,
      steps: [
        {
          kind: 'download' as const,
          stage: 0,
          optional: false,
          label: '',
          weight: 1,
          size: null,
          input: {
            kind: 'fetch' as const,
            source: { url: 'https://x.test/', headers: [], facts: null },
            checksum: null,
          },
        },
      ],
    },
  ],
}

function editOf(task: Task, content: boolean): Decision {
  const request = {
    kind: 'edit' as const,
    at: 1,
    parameters: { ...task.parameters, connections: 3 },
    plan: content ? changedPlan : null,
    keepsData: !content,
    deleteFiles: false,
    startAfterEdit: true,
    thenPause: false,
  }
  return operations.edit(task, request, ctx())
}

const operate: Record<string, (task: Task) => Decision> = {
  pause: (task) => operations.pause(task, ctx()),
  restart: (task) => operations.restart(task, none, ctx()),
  redownload: (task) => operations.redownload(task, ctx()),
  'edit options': (task) => editOf(task, false),
  'edit content': (task) => editOf(task, true),
  select: (task) => operations.select({ ...task, files: [...task.files, spare] }, ['spare'], ctx()),
  keep: (task) => review(task, 'keep', ctx()),
  redo: (task) => review(task, 'redo', ctx()),
  finish: (task) => review(task, 'finish-without', ctx()),
  cancel: (task) => operations.cancel(task, ctx()),
  delete: (task) => operations.remove(task, { deleteFiles: false, purgeAt: 9 }, ctx()),
  undo: (task) => operations.undoRemove(task, ctx()),
  'retry skipped': (task) => operations.retrySkipped(task, ctx()),
  'start now': (task) => operations.startNow(task, ctx()),
}

const spare = { id: 'spare', index: 1, name: 'spare.bin', size: null, selected: false }

/** The table of docs/task-model.md: what is written there is what happens. */
const columns: StateName[] = [
  'WAITING',
  'RUNNING',
  'PAUSED_USER',
  'PAUSED_NETWORK',
  'PAUSED_REVIEW',
  'FAILED',
  'COMPLETED',
  'CANCELLED',
]

function documentedTable(): Map<string, string[]> {
  const text = readFileSync(new URL('../../../docs/task-model.md', import.meta.url), 'utf8')
  const table = text.slice(text.search(/^\| operation\s+\|/m))
  const rows = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2)
  return new Map(
    rows.map((row) => {
      const [name = '', ...cells] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return [name, cells]
    }),
  )
}

const signs: Record<string, Decision['kind']> = { '✓': 'accepted', '=': 'unchanged', '✗': 'refused' }

describe('operation × state', () => {
  const table = documentedTable()

  test('every operation is in the table', () => {
    expect([...table.keys()].toSorted()).toEqual(Object.keys(operate).toSorted())
  })

  for (const [name, ask] of Object.entries(operate)) {
    for (const [index, state] of columns.entries()) {
      const sign = table.get(name)?.[index] ?? ''
      test(`${name} of ${state} is ${signs[sign] ?? 'not in the table'}`, () => {
        const decision = ask(tasks[state])
        expect(decision.kind).toBe(signs[sign])
        if (decision.kind === 'refused') expect(decision.error.code).toBe('CONFLICT')
      })
    }
  }
})

function accepted(decision: Decision): { task: Task; stops: string[] } {
  if (decision.kind !== 'accepted') throw new Error(`the operation was ${decision.kind}`)
  const { task, effects } = decision.transition
  return {
    task,
    stops: effects.flatMap((effect) => (effect.kind === 'stop-steps' ? effect.stepIds : [])),
  }
}

describe('pause', () => {
  test('of a running task is a request that stops its downloads', () => {
    const { task, stops } = accepted(operations.pause(tasks.RUNNING, ctx()))
    expect(taskState(task)).toBe('RUNNING')
    expect(task.request?.kind).toBe('pause')
    expect(stops).toEqual(['video', 'audio'])
  })

  test('lets a mux run to its end', () => {
    const { task, stops } = accepted(operations.pause(tasks.MUXING, ctx()))
    expect(task.request?.kind).toBe('pause')
    expect(stops).toEqual([])
  })

  test('of a waiting task takes it out of the queue at once', () => {
    const { task } = accepted(operations.pause(tasks.WAITING, ctx()))
    expect(taskState(task)).toBe('PAUSED')
    expect(task).toMatchObject({ rank: null, request: null, pause: { kind: 'user' } })
  })

  test('of a task that paused by itself changes the reason, so that it does not resume by itself', () => {
    const { task } = accepted(operations.pause(tasks.PAUSED_NETWORK, ctx()))
    expect(task.pause?.kind).toBe('user')
  })

  test('while a requeue is pending turns it into a pause', () => {
    const requeued: Task = { ...tasks.RUNNING, request: { kind: 'requeue', at: 1, rank: -5 } }
    expect(accepted(operations.pause(requeued, ctx())).task.request?.kind).toBe('pause')
  })
})

describe('restart', () => {
  test('of a paused task goes on from its checkpoint, at the tail, in the same job', () => {
    const { task } = accepted(operations.restart(tasks.PAUSED_USER, none, ctx()))
    expect(taskState(task)).toBe('WAITING')
    expect(task.rank).toBe(1001)
    expect(task.job.id).toBe(tasks.PAUSED_USER.job.id)
    expect(stepOf(task, 'video').state).toBe('COMPLETED')
    expect(stepOf(task, 'audio').checkpoint).toEqual(stepOf(tasks.PAUSED_USER, 'audio').checkpoint)
  })

  test('of a failed task starts the failed step from zero, in a new job', () => {
    const { task } = accepted(operations.restart(tasks.FAILED, none, ctx()))
    expect(task.job).toMatchObject({ number: 2, end: null })
    expect(stepOf(task, 'video')).toMatchObject({
      state: 'WAITING',
      doneBytes: 0,
      checkpoint: null,
      error: null,
    })
    expect(stepOf(task, 'audio').state).toBe('COMPLETED')
    expect(task.finishedAt).toBeNull()
  })

  test('runs a completed step again when its track is gone', () => {
    const { task } = accepted(operations.restart(tasks.PAUSED_USER, new Set(['video']), ctx()))
    expect(stepOf(task, 'video')).toMatchObject({ state: 'WAITING', doneBytes: 0, output: null })
  })

  test('while a pause is pending turns it into a requeue at the head', () => {
    const pausing: Task = { ...tasks.RUNNING, request: { kind: 'pause', at: 1 } }
    const { task } = accepted(operations.restart(pausing, none, ctx()))
    expect(task.request).toMatchObject({ kind: 'requeue', rank: -1 })
  })

  test('while it is being cancelled is a conflict', () => {
    const cancelling: Task = { ...tasks.RUNNING, request: { kind: 'cancel', at: 1 } }
    expect(operations.restart(cancelling, none, ctx()).kind).toBe('refused')
  })
})

describe('cancel', () => {
  test('stops everything, a mux too', () => {
    const { task, stops } = accepted(operations.cancel(tasks.MUXING, ctx()))
    expect(task.request?.kind).toBe('cancel')
    expect(stops).toEqual(['mux'])
  })

  test('invariant 13: is a conflict once the last step has leave to publish', () => {
    const steps = tasks.MUXING.steps.map((step) =>
      step.id === 'mux' ? { ...step, publishing: { from: '/a', to: '/b' } } : step,
    )
    const decision = operations.cancel({ ...tasks.MUXING, steps }, ctx())
    expect(decision.kind).toBe('refused')
  })

  test('of a task at rest ends its job and has its partials discarded', () => {
    const decision = operations.cancel(tasks.PAUSED_USER, ctx())
    const { task } = accepted(decision)
    expect(taskState(task)).toBe('CANCELLED')
    expect(task.job.end?.state).toBe('CANCELLED')
    expect(decision.kind === 'accepted' && decision.transition.effects).toEqual([
      { kind: 'discard-partials' },
    ])
  })
})

describe('delete', () => {
  test('pauses what lives and keeps the request until it is purged', () => {
    const { task } = accepted(operations.remove(tasks.WAITING, { deleteFiles: true, purgeAt: 9 }, ctx()))
    expect(taskState(task)).toBe('PAUSED')
    expect(task.request).toMatchObject({ kind: 'delete', deleteFiles: true })
  })

  test('undone in time leaves a live task paused by the user, a complete one complete', () => {
    for (const [state, expected] of [
      ['PAUSED_NETWORK', 'PAUSED'],
      ['COMPLETED', 'COMPLETED'],
    ] as const) {
      const deleted = accepted(
        operations.remove(tasks[state], { deleteFiles: false, purgeAt: 9 }, ctx()),
      ).task
      const { task } = accepted(operations.undoRemove(deleted, ctx()))
      expect(taskState(task)).toBe(expected)
      expect(task.request).toBeNull()
      if (expected === 'PAUSED') expect(task.pause?.kind).toBe('user')
    }
  })

  test('undone while it still stops comes back as a pause', () => {
    const deleted = accepted(operations.remove(tasks.RUNNING, { deleteFiles: false, purgeAt: 9 }, ctx())).task
    expect(accepted(operations.undoRemove(deleted, ctx())).task.request?.kind).toBe('pause')
  })
})

describe('select', () => {
  test('refuses an empty selection and changes nothing', () => {
    const decision = operations.select(tasks.WAITING, [], ctx())
    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'UNSUPPORTED' } })
  })

  test('refuses a file that the task does not have', () => {
    const decision = operations.select(tasks.WAITING, ['film', 'nobody'], ctx())
    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'INVALID_INPUT' } })
  })

  test('is a conflict before the files are known', () => {
    const decision = operations.select({ ...tasks.WAITING, files: [] }, ['film'], ctx())
    expect(decision).toMatchObject({ kind: 'refused', error: { code: 'CONFLICT' } })
  })
})

describe('redo', () => {
  test('starts the reviewed file from zero, at the tail, in the same job', () => {
    const decision = review(tasks.PAUSED_REVIEW, 'redo', ctx())
    const { task } = accepted(decision)
    expect(taskState(task)).toBe('WAITING')
    expect(task.job.id).toBe(tasks.PAUSED_REVIEW.job.id)
    expect(stepOf(task, 'video')).toMatchObject({ doneBytes: 0, checkpoint: null })
  })
})

describe('progress that falls within a job says why', () => {
  test('a redo, an edit without proof, and what is gone from the disk; a new job forgets it', () => {
    const redone = accepted(review(tasks.PAUSED_REVIEW, 'redo', ctx())).task
    expect(redone.setBack).toBe('redo')
    expect(accepted(operations.restart(tasks.PAUSED_USER, new Set(['video']), ctx())).task.setBack).toBe(
      'lost',
    )
    expect(accepted(operations.restart(tasks.PAUSED_USER, none, ctx())).task.setBack).toBeUndefined()
    const idle = { ...tasks.WAITING, job: { ...tasks.WAITING.job, startedAt: null } }
    expect(accepted(editOf(idle, true)).task.setBack).toBe('edit')
    expect(accepted(editOf(idle, false)).task.setBack).toBeUndefined()
    const failed = { ...tasks.FAILED, setBack: 'redo' as const }
    expect(accepted(operations.restart(failed, none, ctx())).task.setBack).toBeNull()
  })
})

describe('keep and finish without', () => {
  const flaw = (code: ErrorCode): ErrorRecord => new SluiceError(code, 'it looks wrong').toRecord()
  const reviewed = (code: ErrorCode, held = 'video'): Task => {
    const pause = { kind: 'review' as const, at: 1, error: flaw(code) }
    const steps = tasks.PAUSED_REVIEW.steps.map((step) => ({
      ...step,
      heldPause: step.id === held ? pause : null,
    }))
    return { ...tasks.PAUSED_REVIEW, pause, steps }
  }

  test.each(['TOO_SHORT', 'DURATION_MISMATCH'] as const)(
    'keep of %s goes on with what arrived, and the flaw stays with the step',
    (code) => {
      const { task } = accepted(review(reviewed(code), 'keep', ctx()))
      expect(taskState(task)).toBe('WAITING')
      expect(task.rank).toBe(1001)
      expect(stepOf(task, 'video')).toMatchObject({ heldPause: null, doneBytes: 400, accepted: [{ code }] })
    },
  )

  test('keep of a page takes it as the file that was asked for', () => {
    const { task } = accepted(review(reviewed('LOOKS_LIKE_A_PAGE'), 'keep', ctx()))
    expect(task.parameters.direct).toBe(true)
  })

  test.each(['REMOTE_CHANGED', 'SEGMENTS_MISSING'] as const)('keep of %s is a conflict', (code) => {
    expect(review(reviewed(code), 'keep', ctx())).toMatchObject({ error: { code: 'CONFLICT' } })
  })

  test('finish without is for missing segments only', () => {
    const { task } = accepted(review(reviewed('SEGMENTS_MISSING'), 'finish-without', ctx()))
    expect(stepOf(task, 'video').accepted).toMatchObject([{ code: 'SEGMENTS_MISSING' }])
    expect(review(reviewed('TOO_SHORT'), 'finish-without', ctx())).toMatchObject({
      error: { code: 'CONFLICT' },
    })
  })

  test('what another file is held for is not answered along with it', () => {
    const other = { kind: 'review' as const, at: 1, error: flaw('REMOTE_CHANGED') }
    const asked = reviewed('TOO_SHORT')
    const steps = asked.steps.map((step) => (step.id === 'audio' ? { ...step, heldPause: other } : step))
    const decision = review({ ...asked, steps }, 'keep', ctx())
    expect(stepOf(accepted(decision).task, 'audio').heldPause).toEqual(other)
  })

  test('a redo forgets what was accepted', () => {
    const kept = accepted(review(reviewed('TOO_SHORT'), 'keep', ctx())).task
    const again = accepted(
      operations.redownload({ ...kept, job: { ...kept.job, startedAt: null } }, ctx()),
    ).task
    expect(stepOf(again, 'video').accepted).toEqual([])
  })
})

describe('start now', () => {
  test('takes a waiting task over the limit', () => {
    expect(accepted(operations.startNow(tasks.WAITING, ctx())).task).toMatchObject({
      overLimit: true,
      rank: 5,
    })
  })
})
