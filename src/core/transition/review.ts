/** The answers to a review: what arrived looks wrong, and the user decides. */
import { taskState } from '../../shared/task/derive.ts'
import type { ErrorCode } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { Step, Task } from '../../shared/task/model.ts'
import { conflictWithState, refused } from './refuse.ts'
import { cancel } from './operate.ts'
import { releaseHeld } from './held.ts'
import { settle } from './settle.ts'
import { pushState, resetStep, withSteps } from './steps.ts'
import type { Decision, TransitionContext } from './transition.ts'

export type ReviewAnswer = 'keep' | 'redo' | 'discard' | 'finish-without'

function conflict(message: string): Decision {
  return refused(new SluiceError('CONFLICT', message))
}

export function review(task: Task, answer: ReviewAnswer, ctx: TransitionContext): Decision {
  const state = taskState(task)
  if (state !== 'PAUSED' || task.pause?.kind !== 'review') return conflictWithState('reviewed', state)
  if (task.request !== null) return conflict('The task is busy')
  const { code } = task.pause.error
  switch (answer) {
    case 'discard':
      return cancel(task, ctx)
    case 'redo':
      return redo(task, ctx)
    case 'keep':
      return keep(task, code, ctx)
    case 'finish-without':
      return code === 'SEGMENTS_MISSING'
        ? accept(task, code, ctx)
        : conflict('Nothing is missing that could be left out')
  }
}

/** The reviewed file from zero, at the tail, in the same job. */
function redo(task: Task, ctx: TransitionContext): Decision {
  const files = new Set(
    task.steps.filter((step) => step.heldPause?.kind === 'review').map((step) => step.fileId),
  )
  const reset = withSteps(task, (step) => (files.has(step.fileId) ? resetStep(step) : step))
  const waiting: Task = { ...pushState(releaseHeld(reset, 'network'), 'WAITING'), setBack: 'redo' }
  return { kind: 'accepted', transition: settle(waiting, { rank: ctx.tailRank() }, ctx) }
}

/** What arrived is published as it is. A page is then what was asked for. */
function keep(task: Task, code: ErrorCode, ctx: TransitionContext): Decision {
  switch (code) {
    case 'LOOKS_LIKE_A_PAGE': {
      const asked: Task = { ...task, parameters: { ...task.parameters, direct: true } }
      const waiting = pushState(releaseHeld(asked, 'all'), 'WAITING')
      return { kind: 'accepted', transition: settle(waiting, { rank: ctx.tailRank() }, ctx) }
    }
    case 'REMOTE_CHANGED':
    case 'SEGMENTS_MISSING':
      return conflict('What arrived is not a whole file that could be kept')
    default:
      return accept(task, code, ctx)
  }
}

/** The steps that were held for this flaw go on with it; what else is held stays so, and is asked about later. */
function accept(task: Task, code: ErrorCode, ctx: TransitionContext): Decision {
  const accepting = withSteps(task, (step): Step => {
    const { heldPause } = step
    if (heldPause?.kind !== 'review' || heldPause.error.code !== code) return step
    return { ...step, heldPause: null, accepted: [...(step.accepted ?? []), heldPause.error] }
  })
  const waiting = pushState(releaseHeld(accepting, 'network'), 'WAITING')
  return { kind: 'accepted', transition: settle(waiting, { rank: ctx.tailRank() }, ctx) }
}
