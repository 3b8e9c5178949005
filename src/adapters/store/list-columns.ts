/** The columns of a task's row: what lists filter and sort by, derived from the task each time it is written. */
import { isTerminal, relevantSteps, taskState } from '../../shared/task/derive.ts'
import type { Task, TaskState } from '../../shared/task/model.ts'
import { sourceKey } from '../../shared/task/source-key.ts'
import { fileSize, taskProgress } from '../../shared/task/progress.ts'

/** What runs is shown first, then the queue, then what waits for the user, then what has ended. */
export const queueGroups: Record<TaskState, number> = {
  RUNNING: 0,
  WAITING: 1,
  PAUSED: 2,
  FAILED: 3,
  COMPLETED: 4,
  CANCELLED: 5,
}

export type ListColumns = Record<string, string | number | null>

export function listColumnsOf(task: Task): ListColumns {
  const state = taskState(task)
  return {
    state,
    live: !isTerminal(state) || task.request !== null ? 1 : 0,
    hidden: task.request?.kind === 'delete' ? 1 : 0,
    attempt_token: task.attempt?.token ?? null,
    queue_group: queueGroups[state],
    queue_key: queueKey(task),
    created_at: task.createdAt,
    finished_at: task.finishedAt,
    size: sizeOf(task),
    progress: taskProgress(task, () => undefined),
    search: searchText(task),
    source: sourceKey(task.parameters),
  }
}

/** What runs in the order in which it was started, what waits by rank, the others the latest first. */
function queueKey(task: Task): number {
  return task.rank ?? task.attempt?.token ?? -(task.finishedAt ?? task.createdAt)
}

/** Also the key of the sort by title. */
function searchText(task: Task): string {
  return foldedText(`${task.title}\n${task.service}`)
}

/**
 * The form in which texts are stored and sought: case does not count. SQLite's LIKE ends at a NUL, which no title
 * needs, and SQLite stores what is no character as U+FFFD.
 */
export function foldedText(text: string): string {
  return text.toLowerCase().replaceAll('\0', ' ').toWellFormed()
}

/** Bytes of the selected files; unknown ones count as nothing. */
function sizeOf(task: Task): number {
  const byFile = Map.groupBy(relevantSteps(task), (step) => step.fileId)
  return task.files
    .filter((file) => file.selected)
    .reduce((sum, file) => sum + (fileSize(file, byFile.get(file.id) ?? [], () => undefined) ?? 0), 0)
}
