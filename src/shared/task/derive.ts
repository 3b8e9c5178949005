/**
 * The derivation of a task's state from its steps (docs/task-model.md, "Derivation"). A task's state has no
 * setter: whoever needs it calls this, and the store writes the result in the transaction that writes the
 * steps.
 */
import type { Step, StepState, Task, TaskState } from './model.ts'

/** COMPLETED and SKIPPED need nothing more; every other state is incomplete. */
export function isComplete(state: StepState): boolean {
  return state === 'COMPLETED' || state === 'SKIPPED'
}

/** The steps that count: the task's own and those of selected files. */
export function relevantSteps(task: Pick<Task, 'files' | 'steps'>): readonly Step[] {
  // asked many times for every change of every task, and mostly all of them count
  if (task.files.every((file) => file.selected)) return task.steps
  const selected = new Set(task.files.filter((file) => file.selected).map((file) => file.id))
  return task.steps.filter((step) => step.fileId === null || selected.has(step.fileId))
}

/**
 * The state of a task with these relevant steps. The order of the rules is the definition. "All paused" looks
 * at incomplete steps only: read over all steps, a task paused after its video arrived would count as waiting
 * and start again behind the user's back.
 */
export function deriveState(relevant: readonly Pick<Step, 'state'>[]): TaskState {
  const some = (state: StepState) => relevant.some((step) => step.state === state)
  if (some('CANCELLED')) return 'CANCELLED'
  if (some('FAILED')) return 'FAILED'
  if (relevant.every((step) => isComplete(step.state))) return 'COMPLETED'
  if (some('RUNNING')) return 'RUNNING'
  return some('WAITING') ? 'WAITING' : 'PAUSED'
}

/** The state of a task, derived from its relevant steps. */
export function taskState(task: Pick<Task, 'files' | 'steps'>): TaskState {
  return deriveState(relevantSteps(task))
}

/** A terminal task has ended its job; it changes only by an operation that opens a new one. */
export function isTerminal(state: TaskState): boolean {
  return state === 'COMPLETED' || state === 'FAILED' || state === 'CANCELLED'
}
