/** Which steps give a file its name, and which files a task has named. */
import type { Output, Step, Task } from './model.ts'

/** Whether this step gives its file the final name: no later stage of the file does. */
export function publishes(task: Pick<Task, 'steps'>, step: Step): boolean {
  if (step.kind === 'resolve' || step.fileId === null) return false
  return !task.steps.some((other) => other.fileId === step.fileId && other.stage > step.stage)
}

/**
 * The file that this step has named, null while there is none. What a cancelled step has named it named before: the
 * file that it was to make anew stays.
 */
export function publishedOutput(task: Pick<Task, 'steps'>, step: Step): Output | null {
  const isSettled = step.state === 'COMPLETED' || step.state === 'CANCELLED'
  return isSettled && publishes(task, step) ? step.output : null
}
