/**
 * The pure heart: a task and something that happens to it give the task afterwards and what has to be done
 * once that is durable. Nothing here waits, stores or sends; the service commits the result, then acts.
 */
import type { Attempt, Job, Task } from '../../shared/task/model.ts'
import type { SluiceError } from '../../shared/errors.ts'

/** Facts that a transition needs from outside; all of them are passed in. */
export interface TransitionContext {
  /** wall time, ms since 1970 */
  readonly now: number
  newId(): string
  /** a rank before every waiting task */
  headRank(): number
  /** a rank behind every waiting task */
  tailRank(): number
  readonly tracksAtOnce: number
  readonly retryBudget: number
}

/** What follows once the new task is durable. */
export type Effect =
  | { kind: 'start-steps'; stepIds: string[] }
  | { kind: 'stop-steps'; stepIds: string[]; how: 'checkpoint' | 'discard' }
  /** the attempt has nothing more to do: let the worker go and observe its end */
  | { kind: 'end-attempt' }
  /** remove the working folder, then clear the request that asked for it */
  | { kind: 'discard-partials' }

export interface Transition {
  readonly task: Task
  /** jobs that this transition ended although the task goes on with another one */
  readonly jobs: readonly Job[]
  /** the attempt whose end was observed, with that end */
  readonly endedAttempt: Attempt | null
  readonly effects: readonly Effect[]
}

/** Two changes as one: the second began where the first left the task. */
export function followedBy(first: Transition, second: Transition): Transition {
  const isNewLife = first.task.job.id !== second.task.job.id
  return {
    task: second.task,
    jobs: [...first.jobs, ...(isNewLife ? [first.task.job] : []), ...second.jobs],
    endedAttempt: second.endedAttempt ?? first.endedAttempt,
    effects: [...first.effects, ...second.effects],
  }
}

/** The answer to an operation of the user. `unchanged`: the goal already holds. */
export type Decision =
  | { kind: 'unchanged' }
  | { kind: 'refused'; error: SluiceError }
  | { kind: 'accepted'; transition: Transition }
