/**
 * What the domain does with files on the disk: looking at them, and letting go of those a task no longer holds.
 * Everything here may be repeated after a crash.
 */
import { isComplete } from '../../shared/task/derive.ts'
import type { Output, Step, Task } from '../../shared/task/model.ts'
import { foldPath } from '../names/fold-path.ts'
import { workingFolder } from '../names/claims.ts'
import type { FileSystem, TaskStore } from '../ports.ts'
import { hasWorked } from '../transition/carry-out.ts'
import type { EndFacts } from '../transition/attempt.ts'
import { publishes, stepsOfFile } from '../transition/steps.ts'

export class FileCare {
  readonly #files: FileSystem
  readonly #store: Pick<TaskStore, 'claimsOn'>

  constructor(ports: { files: FileSystem; store: Pick<TaskStore, 'claimsOn'> }) {
    this.#files = ports.files
    this.#store = ports.store
  }

  async removeWorkingFolder(task: Task): Promise<void> {
    if (hasWorked(task)) await this.#files.removeWorkingFolder(workingFolder(task, this.#files))
  }

  /** Deletes the published files that no other task holds, if they are still the files we wrote. */
  async deleteOutputs(task: Task): Promise<void> {
    for (const step of task.steps) {
      if (step.output === null || !publishes(task, step)) continue
      const { output } = step
      const holders = await this.#store.claimsOn(foldPath(output.path))
      if (holders.some((claim) => claim.taskId !== task.id)) continue
      await this.#files.deleteIfSame(output.path, output)
    }
  }

  /**
   * Settles steps whose leave to publish was committed, by both names: the verified file gone and the final one
   * there means it was named; both with one identity means the link was made and the old name was left.
   */
  async publishedFacts(task: Task): Promise<Pick<EndFacts, 'published' | 'stillHeld'>> {
    const published = new Map<string, Output | null>()
    const stillHeld = new Set<string>()
    for (const step of task.steps) {
      if (step.publishing === null) continue
      const { from, to } = step.publishing
      const [source, target] = await Promise.all([this.#files.describe(from), this.#files.describe(to)])
      const named = target !== null && (source === null || source.identity === target.identity)
      published.set(step.id, named ? { path: to, ...target } : null)
      if (source !== null) stillHeld.add(step.id)
    }
    return { published, stillHeld }
  }

  /** Completed tracks that an incomplete step of the same file needs, but which are gone or changed. */
  async lostResults(task: Task): Promise<Set<string>> {
    const lost = new Set<string>()
    for (const file of task.files) {
      const steps = stepsOfFile(task, file.id)
      if (steps.every((step) => isComplete(step.state))) continue
      for (const step of steps) {
        if (step.state === 'COMPLETED' && step.output !== null && !(await this.#isIntact(step.output))) {
          lost.add(step.id)
        }
      }
    }
    return lost
  }

  async #isIntact(output: Output): Promise<boolean> {
    const found = await this.#files.describe(output.path)
    return found !== null && found.size === output.size && found.identity === output.identity
  }
}

/** Whether the task keeps anything in its working folder that a later selection or restart could use. */
export function keepsPartials(task: Task): boolean {
  const inFolder = (step: Step) => !isComplete(step.state) && (step.checkpoint !== null || step.doneBytes > 0)
  const trackOfOpenFile = (step: Step) =>
    step.output !== null &&
    !publishes(task, step) &&
    stepsOfFile(task, step.fileId).some((other) => !isComplete(other.state))
  return task.steps.some((step) => inFolder(step) || trackOfOpenFile(step))
}
