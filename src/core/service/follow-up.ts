/**
 * What follows requests outside any attempt: partials are discarded, deleted tasks purged, pauses that end by
 * themselves end. Each may be repeated after a crash, because the request stays until it is done.
 */
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Job, Task } from '../../shared/task/model.ts'
import { carryOut } from '../transition/carry-out.ts'
import type { Clock } from '../ports.ts'
import { endedJob } from '../transition/job.ts'
import { settle } from '../transition/settle.ts'
import type { TransitionContext } from '../transition/transition.ts'
import type { FileCare } from './file-care.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { TaskWriter, Written } from './task-writer.ts'

const firstRetryMs = 1000
const longestRetryMs = 60_000

export interface FollowUpParts {
  readonly clock: Clock
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  readonly care: FileCare
  context(): TransitionContext
  onFault(taskId: string, error: unknown): void
}

export class FollowUp {
  readonly #parts: FollowUpParts

  #closed = false

  constructor(parts: FollowUpParts) {
    this.#parts = parts
  }

  close(): void {
    this.#closed = true
  }

  take(written: readonly Written[]): void {
    for (const { after, effects } of written) {
      if (after === null) continue
      if (effects.some((effect) => effect.kind === 'discard-partials')) {
        this.#inLine(after.id, () => this.#discard(after.id))
      } else if (after.request?.kind === 'redownload' && after.attempt === null) {
        this.#inLine(after.id, () => this.#redownload(after.id))
      }
    }
  }

  /** The time to undo is over. */
  purgeLater(taskId: string): void {
    this.#inLine(taskId, () => this.#purge(taskId))
  }

  /** Carries out what is left of a request of an earlier life; the task has no attempt. */
  async finish(taskId: string): Promise<void> {
    const { lines, memory } = this.#parts
    await lines.run(taskId, async () => {
      const task = memory.live(taskId)
      if (task?.request?.kind === 'delete') await this.#purge(taskId)
      else if (task?.request?.kind === 'redownload') await this.#redownload(taskId)
      else if (task?.request?.kind === 'cancel' && isTerminal(taskState(task))) await this.#discard(taskId)
    })
  }

  /** Takes a deleted task away for good, in the task's line. */
  async purge(taskId: string): Promise<void> {
    await this.#parts.lines.run(taskId, () => this.#purge(taskId))
  }

  /** Lets go of what is on the disk, then starts over; returns the task afterwards. */
  async redownload(taskId: string): Promise<Task | undefined> {
    await this.#parts.lines.run(taskId, () => this.#redownload(taskId))
    return this.#parts.memory.live(taskId)
  }

  /** What could not be committed or done now is tried again, less and less often: its request is still there. */
  #inLine(taskId: string, work: () => Promise<void>, waitMs = firstRetryMs): void {
    const { lines, clock } = this.#parts
    lines.run(taskId, work).catch((thrown: unknown) => {
      this.#parts.onFault(taskId, thrown)
      if (this.#closed) return
      clock.after(waitMs, () => this.#inLine(taskId, work, Math.min(longestRetryMs, waitMs * 2)))
    })
  }

  async #redownload(taskId: string): Promise<void> {
    const { memory, care, writer } = this.#parts
    const task = memory.live(taskId)
    if (task?.request?.kind !== 'redownload' || task.attempt !== null) return
    await care.deleteOutputs(task)
    await care.removeWorkingFolder(task)
    await writer.write([{ before: task, transition: carryOut(task, task.request, this.#parts.context()) }])
  }

  async #discard(taskId: string): Promise<void> {
    const { memory, care, writer } = this.#parts
    const task = memory.live(taskId)
    if (task?.request?.kind !== 'cancel' || task.attempt !== null) return
    await care.removeWorkingFolder(task).catch((thrown: unknown) => this.#parts.onFault(taskId, thrown))
    await writer.write([
      { before: task, transition: settle({ ...task, request: null }, {}, this.#parts.context()) },
    ])
  }

  async #purge(taskId: string): Promise<void> {
    const { memory, care, writer } = this.#parts
    const task = memory.live(taskId)
    if (task?.request?.kind !== 'delete' || task.attempt !== null) return
    const { deleteFiles } = task.request
    // A drive that is away must not keep a deleted task alive: what cannot be deleted is reported and stays.
    await care.removeWorkingFolder(task).catch((thrown: unknown) => this.#parts.onFault(taskId, thrown))
    if (deleteFiles) {
      await care.deleteOutputs(task).catch((thrown: unknown) => this.#parts.onFault(taskId, thrown))
    }
    await writer.remove(task, this.#lastJob(task))
  }

  /** A live task that is deleted ends its job as cancelled: history has every life once. */
  #lastJob(task: Task): Job[] {
    return task.job.end === null ? [endedJob(task, 'CANCELLED', this.#parts.context())] : []
  }
}
