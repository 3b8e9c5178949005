/**
 * The invariants of docs/task-model.md that can be seen in what is stored, checked after every transaction. A
 * violation names its number.
 */
import { nextSteps } from '../../src/core/transition/next-steps.ts'
import type { Change } from '../../src/core/ports.ts'
import { isComplete, isTerminal, relevantSteps, taskState } from '../../src/shared/task/derive.ts'
import type { Attempt, Job, Step, Task, TaskState } from '../../src/shared/task/model.ts'

export class Violation extends Error {
  constructor(invariant: number, text: string) {
    super(`invariant ${invariant}: ${text}`)
  }
}

/** Those of the task model's 28 that random lives are checked for after every step (M), by number and name. */
export const invariants: ReadonlyMap<number, string> = new Map([
  [1, 'the state that is stored and shown is the one that the steps derive to'],
  [2, 'only the transitions of the table occur'],
  [3, 'unselected steps influence neither state, progress, size nor what runs next'],
  [4, 'a job that has ended never changes and is in the history once'],
  [5, 'no more run than may, but for what must not be stopped'],
  [6, 'what was preempted returns to the head in its old order, and the order survives a restart'],
  [7, 'what was moved to the front is next'],
  [9, 'a completed step is not run again by a restart; a failed one begins at zero'],
  [10, 'no step begins before earlier stages are complete, or after a failure of its file'],
  [11, 'a step runs if and only if a live attempt works on it, one per task'],
  [12, 'old tokens and repeated messages change nothing, and tokens rise for ever'],
  [13, 'between a request and the completion exactly one wins'],
  [14, 'what was asked for before a crash is carried out after it, and an undo restores the task'],
  [18, 'the holders of a file are the tasks that hold it, and it goes when the last one lets go'],
  [19, 'progress is within 0–100, never falls within an attempt, and is 100 exactly when complete'],
  [22, 'what is refused leaves everything as it was'],
  [24, 'whatever is paused, failed or held back has a reason'],
  [27, 'what waits has something to run, and gets its turn'],
  [28, 'everything comes to rest once nothing more happens'],
])

/** How often each was looked at where it says something: one that never was has proved nothing. */
export const checks = new Map<number, number>()

export function must(invariant: number, holds: boolean, text: string): void {
  checks.set(invariant, (checks.get(invariant) ?? 0) + 1)
  if (!holds) throw new Violation(invariant, text)
}

/** The derivation once more, by counting, so that the rules are not compared with themselves. */
function stateByCounting(task: Task): TaskState {
  const unselected = new Set(task.files.filter((file) => !file.selected).map((file) => file.id))
  const count = { WAITING: 0, RUNNING: 0, PAUSED: 0, COMPLETED: 0, SKIPPED: 0, FAILED: 0, CANCELLED: 0 }
  for (const step of task.steps) if (!unselected.has(step.fileId ?? '')) count[step.state]++
  if (count.CANCELLED > 0) return 'CANCELLED'
  if (count.FAILED > 0) return 'FAILED'
  if (count.RUNNING > 0) return 'RUNNING'
  if (count.WAITING > 0) return 'WAITING'
  return count.PAUSED > 0 ? 'PAUSED' : 'COMPLETED'
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
  readonly #attempts = new Set<string>()
  readonly #lastTokens = new Map<string, number>()
  #lastOfEarlierLives = 0
  /** the operation that a command of the model is carrying out, '' between them */
  operation = ''

  /** Checks one transaction: the tasks it touched before and after, and the changes themselves. */
  transaction(changes: readonly Change[], before: (id: string) => Task | undefined): void {
    for (const change of changes) {
      if (change.kind === 'put-job') this.#job(change.job)
      if (change.kind === 'put-attempt') this.#attempt(change.attempt)
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

  #attempt(attempt: Attempt): void {
    if (this.#attempts.has(attempt.id)) return
    this.#attempts.add(attempt.id)
    const { taskId, token } = attempt
    const last = Math.max(this.#lastOfEarlierLives, this.#lastTokens.get(taskId) ?? 0)
    must(12, token > last, `${taskId} got the token ${token} after ${last}`)
    must(12, ![...this.#lastTokens.values()].includes(token), `the token ${token} was given twice`)
    this.#lastTokens.set(taskId, token)
  }

  /** The host starts again: its tokens are higher than any before. */
  nextLife(): void {
    this.#lastOfEarlierLives = Math.max(this.#lastOfEarlierLives, ...this.#lastTokens.values())
  }

  get endedJobIds(): string[] {
    return [...this.#endedJobs.keys()]
  }

  task(task: Task): void {
    const state = taskState(task)
    must(1, stateByCounting(task) === state, `${label(task)} is not what it derives to`)
    must(4, (task.job.end !== null) === isTerminal(state), `${label(task)} is ${state}, its job is not`)
    must(4, task.job.end === null || task.job.end.state === state, `${label(task)} ended as something else`)
    must(
      6,
      (task.rank !== null) === (state === 'WAITING'),
      `${label(task)} is ${state} with rank ${task.rank}`,
    )
    if (state === 'WAITING') {
      must(27, nextSteps(task, 1).length > 0, `${label(task)} waits and has nothing to run`)
    }
    const runs = task.steps.some((step) => step.state === 'RUNNING')
    must(11, !runs || task.attempt !== null, `${label(task)} runs without an attempt`)
    must(
      11,
      task.attempt === null || task.attempt.end === null,
      `${label(task)} is owned by an ended attempt`,
    )
    must(24, (state === 'PAUSED') === (task.pause !== null), `${label(task)} is ${state}, its pause is not`)
    for (const step of relevantSteps(task)) {
      if (step.state === 'FAILED') must(24, step.error !== null, `${label(task)} failed without an error`)
    }
    const someSelected = task.files.length === 0 || task.files.some((file) => file.selected)
    must(3, someSelected, `${label(task)} has nothing selected`)
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
    if (is.state === 'CANCELLED') {
      // what a cancelled retry was to replace stays recorded
      const unnamed = is.publishing === null && is.output?.identity === was.output?.identity
      must(13, unnamed, `${label(task)} was cancelled and has named a file`)
    }
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
