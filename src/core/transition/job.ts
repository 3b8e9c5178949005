/** Lives of a task: ending the current one, opening the next. A job that has ended never changes. */
import type { ErrorRecord } from '../../shared/errors.ts'
import { scrubError, secretValues } from '../../shared/mask-secrets.ts'
import { relevantSteps } from '../../shared/task/derive.ts'
import type { Job, Task } from '../../shared/task/model.ts'
import { publishedOutput } from '../../shared/task/outputs.ts'
import type { TransitionContext } from './transition.ts'

type EndState = NonNullable<Job['end']>['state']

/** The error that a failed task shows: the one of its first failed step. */
export function firstError(task: Task): ErrorRecord | null {
  for (const step of relevantSteps(task)) {
    if (step.state === 'FAILED' && step.error !== null) {
      // It leaves the task, for history and notices, which nobody masks any more.
      return scrubError(step.error, secretValues(task.parameters))
    }
  }
  return null
}

/** Absolute paths of the files that the task has published. */
export function publishedPaths(task: Task): string[] {
  return task.steps.flatMap((step) => publishedOutput(task, step)?.path ?? [])
}

export function endedJob(task: Task, state: EndState, ctx: TransitionContext): Job {
  return {
    ...task.job,
    end: {
      at: ctx.now,
      state,
      title: task.title,
      service: task.service,
      outputs: publishedPaths(task),
      error: state === 'FAILED' ? firstError(task) : null,
      doneBytes: relevantSteps(task).reduce((sum, step) => sum + step.doneBytes, 0),
    },
  }
}

/** The task with a new life: counters that belong to a job begin again. */
export function withNewJob(task: Task, ctx: TransitionContext): Task {
  return {
    ...task,
    job: {
      id: ctx.newId(),
      taskId: task.id,
      number: task.job.number + 1,
      createdAt: ctx.now,
      startedAt: null,
      end: null,
    },
    crashes: 0,
    networkPauses: 0,
    storagePausedSince: null,
    setBack: null,
    finishedAt: null,
  }
}
