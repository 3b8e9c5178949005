/** What a request does once everything that had to stop has been seen to stop. */
import { isComplete, relevantSteps } from '../../shared/task/derive.ts'
import type { Pause, Request, Task } from '../../shared/task/model.ts'
import { withEdit } from './edit.ts'
import { endedJob, withNewJob } from './job.ts'
import { fromZero } from './plan.ts'
import { withSelection } from './select.ts'
import { cameFromRun, hasEnded, settle } from './settle.ts'
import { pushState } from './steps.ts'
import type { Transition, TransitionContext } from './transition.ts'

/** Whether an attempt ever wrote for this task: only then there is a working folder to remove. */
export function hasWorked(task: Task): boolean {
  return task.job.startedAt !== null || task.job.number > 1
}

function cancelled(task: Task, ctx: TransitionContext): Transition {
  const incomplete = relevantSteps(task).some((step) => !isComplete(step.state))
  // A completion that was committed first wins; there is nothing left to cancel.
  if (!incomplete || hasEnded(task)) return settle({ ...task, request: null }, {}, ctx)
  const discards = hasWorked(task)
  const after = { ...pushState(task, 'CANCELLED'), request: discards ? task.request : null }
  return settle(after, {}, ctx, discards ? [{ kind: 'discard-partials' }] : [])
}

/** Hidden until it is purged; an undo finds it paused. A pause that needs the user keeps saying why. */
function hidden(task: Task, ctx: TransitionContext): Transition {
  if (hasEnded(task)) return settle(task, {}, ctx)
  const kept = task.pause?.kind === 'review' || task.pause?.kind === 'source' ? task.pause : null
  return settle(pushState(task, 'PAUSED'), { pause: kept ?? { kind: 'user', at: ctx.now } }, ctx)
}

/** All files from zero in a new life. Files on the disk have been let go of before. */
function redownloaded(task: Task, ctx: TransitionContext): Transition {
  const ended = task.job.end === null ? endedJob(task, 'CANCELLED', ctx) : null
  const fresh: Task = { ...withNewJob(fromZero(task), ctx), request: null, pause: null }
  const transition = settle(fresh, { rank: ctx.tailRank() }, ctx)
  return { ...transition, jobs: ended === null ? [] : [ended] }
}

function pauseOf(request: Extract<Request, { kind: 'pause' }>, ctx: TransitionContext): Pause {
  return request.schedule === undefined
    ? { kind: 'user', at: ctx.now }
    : { kind: 'schedule', at: ctx.now, resumeAt: request.schedule.resumeAt }
}

/** `task.attempt` is null, or no step of it runs any more and the request touches no files. */
export function carryOut(task: Task, request: Request, ctx: TransitionContext): Transition {
  switch (request.kind) {
    case 'pause':
      return settle({ ...pushOpen(task, 'PAUSED'), request: null }, { pause: pauseOf(request, ctx) }, ctx)
    case 'requeue':
      return settle({ ...pushOpen(task, 'WAITING'), request: null }, { rank: request.rank }, ctx)
    case 'exit': {
      // one that waits again already, and of whose attempt only the worker's end is missing, keeps its place
      const rank = task.rank ?? request.rank
      return settle({ ...pushOpen(task, 'WAITING'), request: null }, { rank }, ctx)
    }
    case 'cancel':
      return cancelled(task, ctx)
    case 'delete':
      return hidden(task, ctx)
    case 'redownload':
      return redownloaded(task, ctx)
    case 'edit':
      return withEdit(task, request, cameFromRun(task), ctx)
    case 'select':
      return withSelection(task, request, ctx)
  }
}

/** Terminal tasks are left as they are: a pause or requeue that came too late has nothing to act on. */
function pushOpen(task: Task, state: 'WAITING' | 'PAUSED'): Task {
  return hasEnded(task) ? task : pushState(task, state)
}
