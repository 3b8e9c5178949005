/** Writing the states of steps: pushes to all incomplete relevant ones, resets of named ones. */
import { isComplete, relevantSteps } from '../../shared/task/derive.ts'
import type { Step, StepKind, StepState, Task } from '../../shared/task/model.ts'
import type { Checkpoint } from '../../shared/task/resource.ts'

/** The task with one step changed; the same task when it has no such step. */
export function withStep(task: Task, stepId: string, change: (step: Step) => Step): Task {
  return withSteps(task, (step) => (step.id === stepId ? change(step) : step))
}

export function withSteps(task: Task, change: (step: Step) => Step): Task {
  return { ...task, steps: task.steps.map(change) }
}

/** Sets a state on every incomplete relevant step: the only way these three states are written. */
export function pushState(task: Task, state: 'WAITING' | 'PAUSED' | 'CANCELLED'): Task {
  const relevant = new Set(relevantSteps(task).map((step) => step.id))
  return withSteps(task, (step) =>
    relevant.has(step.id) && !isComplete(step.state) ? { ...step, state } : step,
  )
}

/** mux and convert run to their end; everything else may be stopped and taken up again. */
export function runsToItsEnd(kind: StepKind): boolean {
  return kind === 'mux' || kind === 'convert'
}

/** The step from its very beginning; what it is to do stays. */
export function resetStep(step: Step): Step {
  return { ...step, ...untouched(step.kind), accepted: [] }
}

/** Of a step that was never begun: it waits, and there is nothing of it. */
export function untouched(kind: StepKind) {
  return {
    state: 'WAITING',
    doneBytes: 0,
    fraction: 0,
    preemptible: !runsToItsEnd(kind),
    checkpoint: null,
    publishing: null,
    output: null,
    error: null,
    heldPause: null,
    failures: 0,
    askedAgain: false,
  } as const
}

export function stepsOfFile(task: Pick<Task, 'steps'>, fileId: string | null): Step[] {
  return task.steps.filter((step) => step.fileId === fileId)
}

export function stepsIn(task: Pick<Task, 'steps'>, state: StepState): Step[] {
  return task.steps.filter((step) => step.state === state)
}

/** Bytes that a checkpoint says are durable. */
export function durableBytes(checkpoint: Checkpoint | null): number {
  if (checkpoint === null) return 0
  if (checkpoint.kind === 'segments') return checkpoint.durableLength
  return checkpoint.ranges.reduce((sum, [start, end]) => sum + end - start, 0)
}

/** A held step is one that this file cannot get past for now: not taken again until someone restarts the task. */
export function isHeld(step: Step): boolean {
  return step.state === 'WAITING' && (step.error !== null || step.heldPause !== null)
}
