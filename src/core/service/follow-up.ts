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
      else if (task !== undefined && awaitsFiles(task)) await this.#carryOut(taskId)
      else if (task?.request?.kind === 'cancel' && isTerminal(taskState(task))) await this.#discard(taskId)
    })
  }

  /** Takes a deleted task away for good, in the task's line. */
  async purge(taskId: string): Promise<void> {
    await this.#parts.lines.run(taskId, () => this.#purge(taskId))
  }

  /** Does with files what was asked for, then the rest of it; throws when that cannot be done. */
  async carryOut(taskId: string): Promise<void> {
    const { lines, memory, clock } = this.#parts
    try {
      await lines.run(taskId, () => this.#carryOut(taskId))
    } catch (thrown) {
      const task = memory.live(taskId)
      if (task !== undefined && awaitsFiles(task) && !this.#closed) {
        clock.after(firstRetryMs, () => this.#inLine(taskId, () => this.#carryOut(taskId)))
      }
      throw thrown
    }
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

  async #carryOut(taskId: string): Promise<void> {
    const { memory, care, writer } = this.#parts
    const task = memory.live(taskId)
    if (task === undefined || !awaitsFiles(task)) return
    const ctx = this.#parts.context()
    let prepared: Task
    try {
      prepared = await care.prepare(task)
    } catch (thrown) {
      if (task.request?.kind !== 'edit') throw thrown
      // Its files cannot follow it: the edit is given up and the task keeps what it has.
      await writer.write([{ before: task, transition: settle({ ...task, request: null }, {}, ctx) }])
      throw thrown
    }
    if (prepared.request === null) return
    await writer.write([{ before: task, transition: carryOut(prepared, prepared.request, ctx) }])
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
    await care.letGo(task, async () => {
      if (deleteFiles) {
        await care.deleteOutputs(task).catch((thrown: unknown) => this.#parts.onFault(taskId, thrown))
      }
      await writer.remove(task, this.#lastJob(task))
    })
  }

  /** A live task that is deleted ends its job as cancelled: history has every life once. */
  #lastJob(task: Task): Job[] {
    return task.job.end === null ? [endedJob(task, 'CANCELLED', this.#parts.context())] : []
  }
}

/** A request at rest that waits for something to be done with files. */
function awaitsFiles(task: Task): boolean {
  const { request } = task
  return task.attempt === null && (request?.kind === 'redownload' || request?.kind === 'edit')
}
