/**
 * Start-up: what the previous life left is closed before anything is dispatched. Processes that were recorded
 * are killed and awaited, open attempts end as lost, requests are carried out. A crash in here is only another
 * start.
 */
import { SluiceError } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Settings } from '../../shared/settings.ts'
import type { Attempt, Task } from '../../shared/task/model.ts'
import type { QuarantinedRecord, TaskStore, WorkerPool } from '../ports.ts'
import { endAttempt } from '../transition/attempt.ts'
import { carryOut } from '../transition/carry-out.ts'
import { settle } from '../transition/settle.ts'
import { pushState } from '../transition/steps.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { FileCare } from './file-care.ts'
import { keepsPartials } from './file-care.ts'
import type { FollowUp } from './follow-up.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter } from './task-writer.ts'

export interface ReconcileParts {
  readonly store: TaskStore
  readonly workers: WorkerPool
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly care: FileCare
  readonly followUp: FollowUp
  settings(): Settings
  context(): TransitionContext
  onFault(taskId: string | null, error: unknown): void
}

export class Reconciliation {
  readonly #parts: ReconcileParts

  constructor(parts: ReconcileParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    const { store, workers, memory } = this.#parts
    const { tasks, quarantined } = await store.loadLive()
    for (const record of quarantined) this.#parts.onFault(null, unreadable(record))
    for (const task of tasks) memory.replace(task)
    const open = await store.openAttempts()
    await workers.killRecorded(open.flatMap(processesOf))
    // The head is taken by the last one: in descending order the oldest attempt comes first again.
    for (const attempt of open.toSorted((a, b) => b.token - a.token)) {
      await this.#attempted(attempt.taskId, () => this.#closeLost(attempt))
    }
    for (const task of [...memory.liveTasks()]) {
      await this.#attempted(task.id, () => this.#carryOutPending(task.id))
    }
    if (this.#parts.settings().startupPolicy === 'pause') await this.#pauseWaiting()
  }

  /** One task that cannot be settled keeps no other one from starting. */
  async #attempted(taskId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      this.#parts.onFault(taskId, thrown)
    }
  }

  async #closeLost(attempt: Attempt): Promise<void> {
    const { memory, store, care, writer } = this.#parts
    const ctx = this.#parts.context()
    const task = withFreshRank(await memory.load(attempt.taskId), ctx)
    if (task?.attempt?.id !== attempt.id) {
      // Its task is gone or never knew it: the record alone is closed.
      await store.commit([
        { kind: 'put-attempt', attempt: { ...attempt, end: { at: ctx.now, reason: 'lost' } } },
      ])
      return
    }
    const facts = await care.publishedFacts(task)
    const transition = endAttempt(await this.#prepared(task), { reason: 'lost', ...facts }, ctx)
    if (taskState(transition.task) === 'COMPLETED' && !keepsPartials(transition.task)) {
      await care.removeWorkingFolder(transition.task)
    }
    await writer.write([{ before: task, transition }])
  }

  /** An edit whose files cannot follow it is given up; the task keeps what it has. */
  async #prepared(task: Task): Promise<Task> {
    try {
      return await this.#parts.care.prepare(task)
    } catch (thrown) {
      if (task.request?.kind !== 'edit') throw thrown
      this.#parts.onFault(task.id, thrown)
      return { ...task, request: null }
    }
  }

  /** Requests on tasks that no attempt owned; what concerns files is finished, whatever its time. */
  async #carryOutPending(taskId: string): Promise<void> {
    const { memory, writer, followUp } = this.#parts
    const task = memory.live(taskId)
    if (task === undefined || task.request === null || task.attempt !== null) return
    const { request } = task
    const done =
      request.kind === 'delete' ||
      request.kind === 'redownload' ||
      request.kind === 'edit' ||
      (request.kind === 'cancel' && taskState(task) === 'CANCELLED')
    if (!done) {
      await writer.write([{ before: task, transition: carryOut(task, request, this.#parts.context()) }])
    }
    await followUp.finish(taskId)
  }

  async #pauseWaiting(): Promise<void> {
    const { memory, writer } = this.#parts
    const ctx = this.#parts.context()
    const waiting = [...memory.liveTasks()].filter((task) => taskState(task) === 'WAITING')
    if (waiting.length === 0) return
    await writer.write(
      waiting.map((task) => ({
        before: task,
        transition: settle(pushState(task, 'PAUSED'), { pause: { kind: 'user', at: ctx.now } }, ctx),
      })),
    )
  }
}

function processesOf(attempt: Attempt): { pid: number; startTime: string }[] {
  return attempt.worker === null ? attempt.children : [attempt.worker, ...attempt.children]
}

/** A rank that was reserved in the previous life is taken anew, so that all of them return in token order. */
function withFreshRank(task: Task | undefined, ctx: TransitionContext): Task | undefined {
  if (task?.request?.kind !== 'requeue' && task?.request?.kind !== 'exit') return task
  return { ...task, request: { ...task.request, rank: ctx.headRank() } }
}

function unreadable(record: QuarantinedRecord): SluiceError {
  if (record.table === 'secrets') {
    return new SluiceError('AUTH_FAILED', record.reason, { details: { key: record.key } })
  }
  return new SluiceError(
    'INTERNAL',
    `A stored record could not be read and was set aside (${record.table})`,
    {
      hint: 'The rest of the list is not affected.',
      details: { table: record.table, key: record.key },
    },
  )
}
