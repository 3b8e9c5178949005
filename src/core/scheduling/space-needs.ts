/** Bytes that a task will still write, as far as its sizes are known. */
import { isComplete } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { FiguresOf } from '../../shared/task/progress.ts'
import { stepDoneBytes, stepSize } from '../../shared/task/progress.ts'

/** A mux writes a copy of its tracks before those are deleted. */
export function spaceNeeded(task: Task, figures: FiguresOf): number {
  const byFile = Map.groupBy(task.steps, (step) => step.fileId)
  let needed = 0
  for (const file of task.files) {
    if (!file.selected) continue
    const steps = byFile.get(file.id) ?? []
    const muxes = steps.some((step) => step.kind === 'mux' && !isComplete(step.state))
    for (const step of steps) {
      if (step.kind === 'resolve' || step.kind === 'mux' || step.kind === 'convert') continue
      const size = stepSize(step, figures) ?? 0
      if (!isComplete(step.state)) needed += Math.max(0, size - stepDoneBytes(step, figures))
      if (muxes) needed += size
    }
  }
  return needed
}
