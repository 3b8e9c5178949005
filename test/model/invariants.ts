/**
 * The invariants of docs/task-model.md that can be seen in what is stored, checked after every transaction. A
 * violation names its number.
 */
import { nextSteps } from '../../src/core/transition/next-steps.ts'
import type { Change } from '../../src/core/ports.ts'
import {
  deriveState,
  isComplete,
  isTerminal,
  relevantSteps,
  taskState,
} from '../../src/shared/task/derive.ts'
import type { Job, Step, Task, TaskState } from '../../src/shared/task/model.ts'

export class Violation extends Error {
  constructor(invariant: number, text: string) {
    super(`invariant ${invariant}: ${text}`)
  }
}

export function must(invariant: number, holds: boolean, text: string): void {
  if (!holds) throw new Violation(invariant, text)
}

/**
 * Every change of a task's state that may occur: the operations and the events of steps. A change to the state
 * it is in is always legal.
 */
const legal: Record<TaskState, readonly TaskState[]> = {
  WAITING: ['RUNNING', 'PAUSED', 'CANCELLED', 'FAILED', 'COMPLETED'],
  RUNNING: ['WAITING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED'],
  PAUSED: ['WAITING', 'CANCELLED', 'FAILED', 'COMPLETED'],
  FAILED: ['WAITING', 'PAUSED', 'COMPLETED'],
  COMPLETED: ['WAITING', 'PAUSED'],
  CANCELLED: ['WAITING'],
}

/** Steps go from COMPLETED back to WAITING only where an operation resets them. */
const resetting = new Set(['redownload', 'edit', 'review', 'retrySkipped', 'restart', 'select'])

function label(task: Task): string {
  return `${task.id} (${task.title})`
}

export class StoredInvariants {
  readonly #endedJobs = new Map<string, string>()
  /** the operation that a command of the model is carrying out, '' between them */
  operation = ''

  /** Checks one transaction: the tasks it touched before and after, and the changes themselves. */
  transaction(changes: readonly Change[], before: (id: string) => Task | undefined): void {
    for (const change of changes) {
      if (change.kind === 'put-job') this.#job(change.job)
      if (change.kind === 'put-task') {
        this.task(change.task)
        const earlier = before(change.task.id)
        if (earlier !== undefined) this.#step(earlier, change.task)
      }
    }
  }

  #job(job: Job): void {
    const known = this.#endedJobs.get(job.id)
    const text = JSON.stringify(job)
    must(4, known === undefined || known === text, `the ended job ${job.id} was changed`)
    if (job.end !== null) this.#endedJobs.set(job.id, text)
  }

  get endedJobIds(): string[] {
    return [...this.#endedJobs.keys()]
  }

  task(task: Task): void {
    const state = taskState(task)
    must(1, deriveState(relevantSteps(task)) === state, `${label(task)} is not what it derives to`)
    must(4, (task.job.end !== null) === isTerminal(state), `${label(task)} is ${state}, its job is not`)
    must(4, task.job.end === null || task.job.end.state === state, `${label(task)} ended as something else`)
    must(
      6,
      (task.rank !== null) === (state === 'WAITING'),
      `${label(task)} is ${state} with rank ${task.rank}`,
    )
    must(
      27,
      state !== 'WAITING' || nextSteps(task, 1).length > 0,
      `${label(task)} waits and has nothing to run`,
    )
    const runs = task.steps.some((step) => step.state === 'RUNNING')
    must(11, !runs || task.attempt !== null, `${label(task)} runs without an attempt`)
    must(
      11,
      task.attempt === null || task.attempt.end === null,
      `${label(task)} is owned by an ended attempt`,
    )
    must(24, state !== 'PAUSED' || task.pause !== null, `${label(task)} is paused without a reason`)
    must(24, state === 'PAUSED' || task.pause === null, `${label(task)} is ${state} with a pause`)
    const failed = relevantSteps(task).filter((step) => step.state === 'FAILED')
    must(
      24,
      failed.every((step) => step.error !== null),
      `${label(task)} failed without an error`,
    )
    if (task.files.length > 0) {
      must(
        3,
        task.files.some((file) => file.selected),
        `${label(task)} has nothing selected`,
      )
    }
  }

  #step(before: Task, after: Task): void {
    const from = taskState(before)
    const to = taskState(after)
    must(2, from === to || legal[from].includes(to), `${label(after)} went from ${from} to ${to}`)
    if (before.job.id !== after.job.id) {
      must(4, after.job.number === before.job.number + 1, `${label(after)} skipped a job`)
    }
    const token = after.attempt?.token ?? 0
    must(
      12,
      before.attempt === null || token === 0 || token === before.attempt.token,
      `${label(after)} changed hands`,
    )
    const earlier = new Map(before.steps.map((step) => [step.id, step]))
    for (const step of after.steps) {
      const was = earlier.get(step.id)
      if (was !== undefined) this.#stepChange(before, was, step)
      if (was?.state !== 'RUNNING' && step.state === 'RUNNING') this.#begins(after, step)
    }
  }

  #stepChange(task: Task, was: Step, is: Step): void {
    // A resolver is asked again when a link that it made is refused.
    const again = was.state === 'COMPLETED' && is.state !== 'COMPLETED' && is.kind !== 'resolve'
    const asked = resetting.has(this.operation) || resetting.has(task.request?.kind ?? '')
    must(9, !again || asked, `${label(task)} runs ${is.kind} again by "${this.operation}"`)
    const failed = was.state === 'FAILED' && is.state === 'WAITING'
    must(
      9,
      !failed || (is.checkpoint === null && is.doneBytes === 0),
      `${label(task)} restarts a failed step with data`,
    )
  }

  /** A step starts when what comes before it is done, and nothing of its file has gone wrong. */
  #begins(task: Task, begun: Step): void {
    const own = task.steps.filter((step) => step.fileId === null)
    const resolved = begun.fileId === null || own.every((step) => isComplete(step.state))
    must(10, resolved, `${label(task)} starts ${begun.kind} before it is resolved`)
    const file = task.steps.filter((step) => step.fileId === begun.fileId)
    const earlier = file.filter((step) => step.stage < begun.stage)
    must(
      10,
      earlier.every((step) => isComplete(step.state)),
      `${label(task)} starts ${begun.kind} too early`,
    )
    const wrong = file.some(
      (step) => step.state === 'WAITING' && (step.error !== null || step.heldPause !== null),
    )
    must(10, !wrong, `${label(task)} goes on with a file after a failure`)
  }
}
