/**
 * Brings everything that depends on the derived state in line with it: queue rank, pause, job, leftover
 * requests. Every transition ends here, so no state can be reached with a rank or reason missing.
 */
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Pause, Request, Task } from '../../shared/task/model.ts'
import { withHeldCommitted } from './held.ts'
import { endedJob, withNewJob } from './job.ts'
import { nextSteps } from './next-steps.ts'
import type { Effect, Transition, TransitionContext } from './transition.ts'

export interface Placing {
  /** where a waiting task goes; without it, it keeps its place, or takes the tail when it had none */
  rank?: number
  /** why a paused task is paused; without it the old reason stays */
  pause?: Pause
}

/** A terminal task has nothing left to pause, requeue or leave; other requests are still carried out. */
function leftover(request: Request | null): Request | null {
  if (request === null) return null
  return request.kind === 'pause' || request.kind === 'requeue' || request.kind === 'exit' ? null : request
}

/** Everything that is left is held: waiting would be for ever. Null while something can run. */
function withoutHope(task: Task): ReturnType<typeof withHeldCommitted> | null {
  return nextSteps(task, 1).length > 0 ? null : withHeldCommitted(task)
}

function settleTask(task: Task, placing: Placing, ctx: TransitionContext): Task {
  const state = taskState(task)
  switch (state) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED': {
      const idle = {
        ...task,
        rank: null,
        pause: null,
        overLimit: false,
        request: leftover(task.request),
      }
      if (task.job.end?.state === state) return idle
      // An ended job never changes: another end is another life.
      const open = task.job.end === null ? idle : withNewJob(idle, ctx)
      return { ...open, job: endedJob(open, state, ctx), finishedAt: ctx.now }
    }
    case 'WAITING': {
      const committed = withoutHope(task)
      if (committed !== null) {
        return settleTask(committed.task, committed.pause === null ? {} : { pause: committed.pause }, ctx)
      }
      const live = task.job.end === null ? task : withNewJob(task, ctx)
      return { ...live, pause: null, rank: placing.rank ?? live.rank ?? ctx.tailRank() }
    }
    case 'PAUSED': {
      const live = task.job.end === null ? task : withNewJob(task, ctx)
      const pause = placing.pause ?? live.pause ?? { kind: 'user', at: ctx.now }
      return { ...live, rank: null, pause, overLimit: false }
    }
    case 'RUNNING':
      return { ...task, rank: null, pause: null }
  }
}

export function settle(
  task: Task,
  placing: Placing,
  ctx: TransitionContext,
  effects: readonly Effect[] = [],
): Transition {
  return { task: settleTask(task, placing, ctx), jobs: [], endedAttempt: null, effects }
}

/** Whether the task's present life is over. */
export function hasEnded(task: Task): boolean {
  return isTerminal(taskState(task))
}

/** A task that ran until just now has neither a place in the queue nor a reason to be paused. */
export function cameFromRun(task: Task): boolean {
  return task.rank === null && task.pause === null && taskState(task) === 'WAITING'
}
