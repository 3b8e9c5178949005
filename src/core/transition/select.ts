/** A new selection of files, and what it means for the state the task is in. */
import { isComplete, relevantSteps, taskState } from '../../shared/task/derive.ts'
import type { Pause, Step, Task, TaskState } from '../../shared/task/model.ts'
import { nextSteps } from './next-steps.ts'
import { cameFromRun, settle } from './settle.ts'
import { pushState, resetStep, withSteps } from './steps.ts'
import type { Effect, Transition, TransitionContext } from './transition.ts'

/** A step of a file that was selected just now takes the state that its task is in. */
function joining(step: Step, state: TaskState): Step {
  if (isComplete(step.state)) return step
  // It failed in a life that ended without it, or was never asked for again: it starts anew.
  const fresh = step.state === 'FAILED' || step.error !== null ? resetStep(step) : step
  return { ...fresh, state: state === 'PAUSED' ? 'PAUSED' : 'WAITING', heldPause: null }
}

function withFlags(task: Task, selected: ReadonlySet<string>): Task {
  const state = taskState(task)
  const added = new Set(
    task.files.filter((file) => !file.selected && selected.has(file.id)).map((file) => file.id),
  )
  const files = task.files.map((file) => ({ ...file, selected: selected.has(file.id) }))
  const joined = withSteps(task, (step) =>
    step.fileId !== null && added.has(step.fileId) ? joining(step, state) : step,
  )
  return { ...joined, files }
}

/** Steps that run for files which a selection leaves out. */
export function runningOutside(task: Task, selected: readonly string[]): Step[] {
  const ids = new Set(selected)
  return task.steps.filter(
    (step) => step.state === 'RUNNING' && step.fileId !== null && !ids.has(step.fileId),
  )
}

/**
 * Applies the selection. Nothing outside it may be running any more. A live attempt goes on with what is
 * selected now, whatever its index; a terminal task that is no longer complete or failed gets a new job.
 */
export function withSelection(
  task: Task,
  request: { selected: readonly string[]; thenPause: boolean },
  ctx: TransitionContext,
): Transition {
  const flagged = { ...withFlags(task, new Set(request.selected)), request: null }
  const pause: Pause = { kind: 'user', at: ctx.now }
  const running = relevantSteps(flagged).some((step) => step.state === 'RUNNING')
  if (request.thenPause && !running) return settle(pushState(flagged, 'PAUSED'), { pause }, ctx)
  // What runs to its end (a mux) goes on; the pause that was merged takes effect after it.
  if (request.thenPause) return settle({ ...flagged, request: { kind: 'pause', at: ctx.now } }, {}, ctx)
  if (!running) return settle(flagged, cameFromRun(flagged) ? { rank: ctx.headRank() } : {}, ctx)
  const starting = nextSteps(flagged, ctx.tracksAtOnce).map((step) => step.id)
  if (starting.length === 0) return settle(flagged, {}, ctx)
  const started = withSteps(flagged, (step) =>
    starting.includes(step.id) ? { ...step, state: 'RUNNING' } : step,
  )
  const effects: Effect[] = [{ kind: 'start-steps', stepIds: starting }]
  return settle(started, {}, ctx, effects)
}
