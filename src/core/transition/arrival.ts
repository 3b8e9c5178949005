/** A small file that came whole with the answer which its plan was made of. */
import type { Step, Task } from '../../shared/task/model.ts'
import { publishes } from '../../shared/task/outputs.ts'
import { withLeaveToPublish } from './reports.ts'
import type { Transition } from './transition.ts'

/**
 * Has the download that follows a plan start with the leave to publish. `ended` is the end of the resolve step. Where
 * something else follows, or the task is asked for something, nothing changes: the download then begins as ever.
 */
export function withArrival(
  ended: Transition,
  namesOf: (task: Task, step: Step) => { from: string; to: string },
): Transition {
  const { task } = ended
  const step = onlyStarted(ended)
  if (task.request !== null || step === null || !isUntouchedDownload(task, step)) return ended
  return { ...ended, task: withLeaveToPublish(task, step.id, namesOf(task, step)) }
}

/** The step that starts, when it is the only thing that follows. */
function onlyStarted({ task, effects }: Transition): Step | null {
  const [effect, ...others] = effects
  if (effect?.kind !== 'start-steps' || others.length > 0) return null
  const [id, ...more] = effect.stepIds
  if (more.length > 0) return null
  return task.steps.find((step) => step.id === id) ?? null
}

function isUntouchedDownload(task: Task, step: Step): boolean {
  return step.kind === 'download' && step.checkpoint === null && publishes(task, step)
}
