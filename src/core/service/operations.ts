/** Operations on tasks, one or many: decided together, committed in one transaction, then acted upon. */
import type { OperationResult, Target } from '../../shared/contract/commands.ts'
import { SluiceError, toErrorRecord } from '../../shared/errors.ts'
import type { Task } from '../../shared/task/model.ts'
import type { TaskStore } from '../ports.ts'
import type { Decision, TransitionContext } from '../transition/transition.ts'
import type { TaskLines } from './task-lines.ts'
import type { TaskMemory } from './task-memory.ts'
import type { Entry, TaskWriter } from './task-writer.ts'

type Result = OperationResult['results'][number]

export interface OperationsParts {
  readonly store: TaskStore
  readonly lines: TaskLines
  readonly memory: TaskMemory
  readonly writer: TaskWriter
  context(): TransitionContext
}

export type Decide = (task: Task, ctx: TransitionContext) => Decision | Promise<Decision>

function notFound(): SluiceError {
  return new SluiceError('JOB_NOT_FOUND', 'There is no such task')
}

export class Operations {
  readonly #parts: OperationsParts

  constructor(parts: OperationsParts) {
    this.#parts = parts
  }

  async idsOf(target: Target): Promise<string[]> {
    return 'ids' in target ? target.ids : this.#parts.store.idsOf(target.query)
  }

  /**
   * Asks the same of every task. Refusals are answers of their own and keep nobody else out. `hidden`: also
   * tasks that wait for their purge.
   */
  async each(
    ids: readonly string[],
    decide: Decide,
    hidden: 'hidden too' | 'visible' = 'visible',
  ): Promise<OperationResult> {
    const unique = [...new Set(ids)]
    return this.#parts.lines.runMany(unique, async () => {
      const tasks = new Map((await this.#parts.memory.loadMany(unique)).map((task) => [task.id, task]))
      const entries: Entry[] = []
      const ctx = this.#parts.context()
      const pending: (() => Result)[] = []
      for (const id of unique) {
        const task = tasks.get(id)
        const known = task !== undefined && (hidden === 'hidden too' || task.request?.kind !== 'delete')
        if (!known) {
          pending.push(() => ({ kind: 'refused', id, error: notFound().toRecord() }))
          continue
        }
        const decision = await this.#decide(task, decide, ctx)
        if (decision.kind === 'accepted') entries.push({ before: task, transition: decision.transition })
        pending.push(() => resultOf(task, decision))
      }
      if (entries.length > 0) await this.#parts.writer.write(entries)
      return { results: pending.map((result) => result()) }
    })
  }

  async #decide(task: Task, decide: Decide, ctx: TransitionContext): Promise<Decision> {
    try {
      return await decide(task, ctx)
    } catch (thrown) {
      if (!(thrown instanceof SluiceError)) throw thrown
      return { kind: 'refused', error: thrown }
    }
  }
}

function resultOf(task: Task, decision: Decision): Result {
  switch (decision.kind) {
    case 'unchanged':
      return { kind: 'done', id: task.id, jobId: task.job.id, changed: false }
    case 'refused':
      return { kind: 'refused', id: task.id, error: toErrorRecord(decision.error) }
    case 'accepted':
      return { kind: 'done', id: task.id, jobId: decision.transition.task.job.id, changed: true }
  }
}
