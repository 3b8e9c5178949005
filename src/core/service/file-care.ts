/**
 * What the domain does with files on the disk: looking at them, and letting go of those a task no longer holds.
 * Everything here may be repeated after a crash.
 */
import { isComplete } from '../../shared/task/derive.ts'
import type { Output, Step, Task } from '../../shared/task/model.ts'
import { publishes } from '../../shared/task/outputs.ts'
import { foldPath } from '../names/fold-path.ts'
import { arrivalPath, workingFolder, workingName } from '../names/claims.ts'
import type { FileSystem, TaskStore } from '../ports.ts'
import { hasWorked } from '../transition/carry-out.ts'
import type { EndFacts } from '../transition/attempt.ts'
import { publishedPaths } from '../transition/job.ts'
import { stepsOfFile } from '../transition/steps.ts'
import { TaskLines } from './task-lines.ts'

export class FileCare {
  readonly #files: FileSystem
  readonly #store: Pick<TaskStore, 'claimsOn'>
  /** lines of paths, not of tasks */
  readonly #lettingGo = new TaskLines()

  constructor(ports: { files: FileSystem; store: Pick<TaskStore, 'claimsOn'> }) {
    this.#files = ports.files
    this.#store = ports.store
  }

  /** With what lies beside it. */
  async removeWorkingFolder(task: Task): Promise<void> {
    if (!hasWorked(task)) return
    await this.#files.removeWorkingFolder(workingFolder(task, this.#files))
    await this.#files.removeFile(arrivalPath(task, this.#files))
  }

  /**
   * Does with files what a request needs before it is carried out, and returns the task as they are now. May be
   * repeated after a crash. Throws when a changed folder cannot be reached; the files are then where they were.
   */
  async prepare(task: Task): Promise<Task> {
    const { request } = task
    if (request?.kind === 'redownload') {
      await this.deleteOutputs(task)
      await this.removeWorkingFolder(task)
    }
    if (request?.kind !== 'edit') return task
    if (request.deleteFiles) await this.deleteOutputs(task)
    if (request.deleteFiles || !request.keepsData) await this.removeWorkingFolder(task)
    else if (request.parameters.folder !== task.parameters.folder) {
      return this.#moveWorkingFolder(task, request.parameters.folder)
    }
    return task
  }

  /** Partials and tracks follow the task to its new folder; on failure those that were moved come back. */
  async #moveWorkingFolder(task: Task, folder: string): Promise<Task> {
    if (!hasWorked(task)) return task
    const from = workingFolder(task, this.#files)
    const moved = { ...task, parameters: { ...task.parameters, folder } }
    const to = workingFolder(moved, this.#files)
    await this.#files.ensureFolder(folder)
    await this.#files.ensureFolder(to)
    const done: string[] = []
    try {
      for (const step of task.steps) {
        const name = workingName(task, step)
        if ((await this.#files.describe(this.#files.join(from, name))) === null) continue
        await this.#files.move(this.#files.join(from, name), this.#files.join(to, name))
        done.push(name)
      }
    } catch (thrown) {
      for (const name of done)
        await this.#files.move(this.#files.join(to, name), this.#files.join(from, name))
      await this.#files.removeWorkingFolder(to)
      throw thrown
    }
    await this.removeWorkingFolder(task)
    return { ...task, steps: await Promise.all(task.steps.map((step) => this.#relocated(step, task, to))) }
  }

  /** A track that was moved is known by its new path and, on another volume, by its new identity. */
  async #relocated(step: Step, task: Task, folder: string): Promise<Step> {
    if (step.output === null || publishes(task, step)) return step
    const path = this.#files.join(folder, workingName(task, step))
    const found = await this.#files.describe(path)
    return found === null ? step : { ...step, output: { path, ...found } }
  }

  /** Makes the name of a published file durable: before it is committed that the file is there. */
  syncName(path: string): Promise<void> {
    return this.#files.syncFolder(this.#files.split(path).folder)
  }

  /** The file that this step made before, now that another one has taken its part. */
  async deleteReplaced(before: Task, after: Task, stepId: string): Promise<void> {
    const old = before.steps.find((step) => step.id === stepId)?.output ?? null
    const made = after.steps.find((step) => step.id === stepId)?.output ?? null
    if (old === null || made === null || old.path === made.path) return
    if (await this.#othersHold(before, old.path)) return
    await this.#files.deleteIfSame(old.path, old)
  }

  /** Deletes the published files that no other task holds, if they are still the files we wrote. */
  async deleteOutputs(task: Task): Promise<void> {
    for (const step of task.steps) {
      if (step.output === null || !publishes(task, step)) continue
      const { output } = step
      if (await this.#othersHold(task, output.path)) continue
      await this.#files.deleteIfSame(output.path, output)
    }
  }

  async #othersHold(task: Task, path: string): Promise<boolean> {
    return (await this.#store.claimsOn(foldPath(path))).some((claim) => claim.taskId !== task.id)
  }

  /**
   * Lets nobody else let go of the same files meanwhile: two holders that go at once would each see the other one
   * and leave the file to nobody.
   */
  letGo<T>(task: Task, work: () => Promise<T>): Promise<T> {
    return this.#lettingGo.runMany(
      publishedPaths(task).map((path) => foldPath(path)),
      work,
    )
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
      // Where links are not possible an empty file takes the name first: nobody else's could be under it.
      const placeholder = !named && target?.size === 0 ? target : null
      if (placeholder !== null && source !== null) await this.#files.deleteIfSame(to, placeholder)
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
