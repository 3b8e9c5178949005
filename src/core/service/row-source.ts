/** Rows and details from committed tasks and the live figures of their attempts. */
import type { LiveFacts } from '../../shared/view-of-task.ts'
import { detailsOf, rowOf } from '../../shared/view-of-task.ts'
import type { Attempt, Task } from '../../shared/task/model.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { TaskDetails, TaskRow } from '../../shared/view.ts'
import type { Clock } from '../ports.ts'
import type { Runs } from '../runner/runs.ts'
import type { TaskMemory } from './task-memory.ts'

export interface RowSourceParts {
  readonly clock: Clock
  readonly runs: Runs
  readonly memory: TaskMemory
  blockedBy(task: Task): ErrorRecord | null
  /** how many connections its host was found to bear */
  hostLimit(task: Task): { host: string; connections: number } | null
}

/** It waits, and its last worker has not been seen to go: two must never write one file. */
const stillEnding = new SluiceError('CONFLICT', 'The last run of this task is still ending', {
  hint: 'It goes on by itself in a few seconds.',
}).toRecord()

export class RowSource {
  readonly #parts: RowSourceParts

  constructor(parts: RowSourceParts) {
    this.#parts = parts
  }

  row(task: Task): TaskRow {
    const run = this.#parts.runs.of(task.id)
    const row = rowOf(task, this.#facts(task))
    if (run !== undefined && row.state === 'RUNNING') run.figures.shownProgress = row.progress
    return row
  }

  details(task: Task, attempts: readonly Attempt[]): TaskDetails {
    return { ...detailsOf(task, this.#facts(task), attempts), hostLimit: this.#parts.hostLimit(task) }
  }

  #facts(task: Task): LiveFacts {
    const { runs, memory, clock } = this.#parts
    const run = runs.of(task.id)
    return {
      figures: (stepId) => (task.attempt === null ? undefined : run?.figures.of(stepId)),
      bytesPerSecond: run?.figures.speed(clock.monotonic()) ?? 0,
      shownProgress: run?.figures.shownProgress ?? 0,
      queuePosition: memory.queue.position(task.id),
      blockedBy: task.attempt === null ? this.#parts.blockedBy(task) : stillEnding,
    }
  }
}
