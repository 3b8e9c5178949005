/** Carrying out an edit whose link, when it changed, has already been looked up. */
import { taskState } from '../../shared/task/derive.ts'
import type { Request, Step, Task } from '../../shared/task/model.ts'
import { withProofAsked } from './keeps-data.ts'
import { releaseHeld } from './held.ts'
import { fromZero, withPlan } from './plan.ts'
import { settle } from './settle.ts'
import { pushState, resetStep, withSteps } from './steps.ts'
import type { Transition, TransitionContext } from './transition.ts'

export type EditRequest = Extract<Request, { kind: 'edit' }>

/** The name that was asked for goes to the one file of the task; lists keep the names of their entries. */
export function withEditedName(task: Task, name: string | null): Task {
  const only = task.files.length === 1 ? task.files[0] : undefined
  if (only === undefined || name === null) return task
  return { ...task, files: [{ ...only, name }] }
}

/** The look-up has done the work of the task's own resolve. */
function resolved(step: Step): Step {
  return { ...resetStep(step), state: 'COMPLETED', fraction: 1 }
}

function withEditedContent(task: Task, request: EditRequest, ctx: TransitionContext): Task {
  const giveUp = request.deleteFiles || (request.plan !== null && !request.keepsData)
  const asked: Task = {
    ...task,
    parameters: request.parameters,
    request: null,
    ...(giveUp ? { setBack: 'edit' } : {}),
  }
  const edited = request.deleteFiles ? fromZero(asked) : asked
  if (request.plan === null) return withEditedName(edited, request.parameters.name)
  if (request.keepsData) {
    const proved = withProofAsked(edited, request.plan)
    const renewed = withPlan(proved, request.plan, ctx)
    const looked = withSteps(renewed, (step) => (step.fileId === null ? resolved(step) : step))
    return withEditedName(looked, request.parameters.name)
  }
  const own = edited.steps.filter((step) => step.fileId === null)
  const bare: Task = { ...edited, files: [], steps: own }
  const planned = withPlan(bare, request.plan, ctx)
  const looked = withSteps(planned, (step) => (step.fileId === null ? resolved(step) : step))
  return withEditedName(looked, request.parameters.name)
}

/**
 * Waiting keeps its place, running returns to the head, `PAUSED (user)` stays; a task that was paused for
 * another reason or failed is scheduled at the tail, because the edit is the cure.
 */
export function withEdit(
  task: Task,
  request: EditRequest,
  wasRunning: boolean,
  ctx: TransitionContext,
): Transition {
  const before = taskState(task)
  const stays = request.thenPause || !request.startAfterEdit || task.pause?.kind === 'user'
  const cured = releaseHeld(withEditedContent(task, request, ctx), 'all')
  const open = withSteps(cured, (step) => (step.state === 'FAILED' ? resetStep(step) : step))
  if (stays) return settle(pushState(open, 'PAUSED'), { pause: { kind: 'user', at: ctx.now } }, ctx)
  const scheduled = pushState(open, 'WAITING')
  if (wasRunning) return settle(scheduled, { rank: ctx.headRank() }, ctx)
  if (before === 'WAITING') return settle(scheduled, {}, ctx)
  return settle(scheduled, { rank: ctx.tailRank() }, ctx)
}
