/**
 * What an attempt starts next. Files run one after the other in list order, stages in order within a file,
 * steps of one stage side by side up to "tracks at once". A held step ends its file for this job; the next file
 * goes on (the error boundary).
 */
import { isComplete } from '../../shared/task/derive.ts'
import type { Step, Task } from '../../shared/task/model.ts'
import { isHeld, stepsOfFile } from './steps.ts'

/** Waiting steps of the lowest incomplete stage, as many as may join those that run. */
function startable(steps: readonly Step[], tracksAtOnce: number): Step[] {
  if (steps.some(isHeld)) return []
  const incomplete = steps.filter((step) => !isComplete(step.state))
  if (incomplete.length === 0) return []
  const stage = Math.min(...incomplete.map((step) => step.stage))
  const current = incomplete.filter((step) => step.stage === stage)
  const running = current.filter((step) => step.state === 'RUNNING').length
  return current.filter((step) => step.state === 'WAITING').slice(0, Math.max(0, tracksAtOnce - running))
}

/** A storage pause stops the whole task: every file of it goes to the same folder. */
export function stopsAll(task: Pick<Task, 'steps'>): boolean {
  return task.steps.some((step) => step.state === 'WAITING' && step.heldPause?.kind === 'storage')
}

/** The steps that may start now, beside those that run. */
export function nextSteps(task: Pick<Task, 'files' | 'steps'>, tracksAtOnce: number): Step[] {
  if (stopsAll(task)) return []
  const own = stepsOfFile(task, null)
  if (own.some((step) => !isComplete(step.state))) return startable(own, tracksAtOnce)
  const selected = task.files.filter((file) => file.selected).toSorted((a, b) => a.index - b.index)
  const busy = task.steps.find((step) => step.state === 'RUNNING')
  if (busy !== undefined) {
    // A file that was just deselected is being stopped: the rest goes on when its end has been observed.
    const stopping = !selected.some((file) => file.id === busy.fileId)
    return stopping ? [] : startable(stepsOfFile(task, busy.fileId), tracksAtOnce)
  }
  for (const file of selected) {
    const steps = startable(stepsOfFile(task, file.id), tracksAtOnce)
    if (steps.length > 0) return steps
  }
  return []
}
