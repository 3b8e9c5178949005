/**
 * Makes output names unique: among live claims, by folded path, and on the disk. A name that is taken is
 * numbered ` (1)`. Names that are being committed are reserved meanwhile, so two tasks never get the same.
 */
import { taskState } from '../../shared/task/derive.ts'
import type { Task, TaskFile } from '../../shared/task/model.ts'
import type { Change, Claim, FileSystem, TaskStore } from '../ports.ts'
import { claimsOf, outputPath, publishedPath } from './claims.ts'
import { foldPath } from './fold-path.ts'

export interface Granted {
  readonly task: Task
  /**
   * What belongs into the commit: that nobody holds the names (`trusting`), or which claims block nothing, because
   * they are of tasks that have ended and whose files are gone (`careful`)
   */
  readonly changes: readonly Change[]
  /** ends the reservations, after the commit or its failure */
  done(): void
}

/**
 * `trusting`: nobody is asked who holds a name, the commit is refused when somebody does. `careful`: everybody is
 * asked, and names that are held are numbered around. Hardly ever two tasks want one name, and who asks waits for
 * what is at the disk.
 */
export type Granting = 'trusting' | 'careful'

interface Notes {
  readonly granting: Granting
  readonly avoid: string | null
  readonly reserved: string[]
  readonly changes: Change[]
}

/** A step that has leave to publish does so under the name that its file was granted. */
function withNames(task: Task, files: TaskFile[], paths: FileSystem): Task {
  const named = { ...task, files }
  const steps = task.steps.map((step) => {
    const file = files.find((candidate) => candidate.id === step.fileId)
    if (step.publishing === null || file === undefined) return step
    return { ...step, publishing: { ...step.publishing, to: outputPath(named, file, paths) } }
  })
  return { ...named, steps }
}

export class NameGrants {
  readonly #store: Pick<TaskStore, 'claimsOn' | 'claimsOf' | 'load'>
  readonly #files: FileSystem
  readonly #reserved = new Map<string, string>()

  constructor(ports: { store: Pick<TaskStore, 'claimsOn' | 'claimsOf' | 'load'>; files: FileSystem }) {
    this.#store = ports.store
    this.#files = ports.files
  }

  /** `avoid`: a path that turned out to exist although nobody claims it. */
  async grant(
    before: Task | null,
    after: Task,
    { granting, avoid = null }: { granting: Granting; avoid?: string | null },
  ): Promise<Granted> {
    const held = new Set(
      before === null ? [] : claimsOf(before, this.#files).map((claim) => claim.foldedPath),
    )
    if (avoid !== null) held.delete(foldPath(avoid))
    for (const path of await this.#sharedBefore(before, after)) held.delete(path)
    const reserved: string[] = []
    const changes: Change[] = []
    const wanted = claimsOf(after, this.#files)
    if (avoid === null && wanted.every((claim) => claim.kind !== 'output' || held.has(claim.foldedPath))) {
      return { task: after, changes, done: () => undefined }
    }
    const done = () => {
      for (const folded of reserved) this.#reserved.delete(folded)
    }
    const choose = async (path: string): Promise<string> => {
      const { stem, extension } = this.#files.split(path)
      if (held.has(foldPath(path))) return stem + extension
      return this.#free(after.id, path, { granting, avoid, reserved, changes })
    }
    try {
      const files = []
      for (const file of after.files) {
        const settled = !file.selected || publishedPath(after, file) !== null
        files.push(settled ? file : { ...file, name: await choose(outputPath(after, file, this.#files)) })
      }
      const { name } = after.parameters
      const early = after.files.length === 0 && name !== null
      const granted = early ? await choose(this.#files.join(after.parameters.folder, name)) : name
      const parameters = early ? { ...after.parameters, name: granted } : after.parameters
      return { task: withNames({ ...after, parameters }, files, this.#files), changes, done }
    } catch (thrown) {
      done()
      throw thrown
    }
  }

  /** Names under which a file was published that is to be made anew, while another task still holds the old one. */
  async #sharedBefore(before: Task | null, after: Task): Promise<string[]> {
    const shared: string[] = []
    // A file that is there is made anew in a new life only.
    if (before === null || before.job.id === after.job.id) return shared
    for (const file of before.files) {
      const path = publishedPath(before, file)
      if (path === null || publishedPath(after, file) !== null) continue
      const claims = await this.#store.claimsOn(foldPath(path))
      if (claims.some((claim) => claim.taskId !== after.id)) shared.push(foldPath(path))
    }
    return shared
  }

  /** The first free name in the row `name`, `name (1)`, `name (2)`, …; it is reserved when this resolves. */
  async #free(taskId: string, path: string, notes: Notes): Promise<string> {
    const { folder, stem, extension } = this.#files.split(path)
    for (let number = 0; ; number++) {
      const name = number === 0 ? stem + extension : `${stem} (${number})${extension}`
      const candidate = this.#files.join(folder, name)
      const folded = foldPath(candidate)
      if (this.#reserved.has(folded) || (notes.avoid !== null && foldPath(notes.avoid) === folded)) continue
      this.#reserved.set(folded, taskId)
      const free = await this.#isFree(taskId, candidate, notes)
      if (free) {
        notes.reserved.push(folded)
        return name
      }
      this.#reserved.delete(folded)
    }
  }

  async #isFree(taskId: string, path: string, { granting, changes }: Notes): Promise<boolean> {
    // a guess is enough: who publishes replaces nothing and comes back for another name
    if (await this.#files.seemsTaken(path)) return false
    const foldedPath = foldPath(path)
    if (granting === 'trusting') {
      changes.push({ kind: 'require-unclaimed', taskId, foldedPath })
      return true
    }
    const claims = await this.#store.claimsOn(foldedPath)
    const others = claims.filter((claim) => claim.taskId !== taskId)
    for (const claim of others) {
      if (!(await this.#isStale(claim))) return false
    }
    // it is not enough to take a claim away by: the file of a task that has just ended may be too young for it
    if (others.length > 0 && (await this.#files.isTaken(path))) return false
    for (const claim of others) {
      const rest = (await this.#store.claimsOf(claim.taskId)).filter(
        (kept) => kept.foldedPath !== claim.foldedPath,
      )
      // it may be asked for its file again meanwhile, and goes on under the name that it holds
      changes.push({ kind: 'require-ended', taskId: claim.taskId })
      changes.push({ kind: 'put-claims', taskId: claim.taskId, claims: rest })
    }
    return true
  }

  /** Of a task that has ended, and is not asked to come back: the name is free when its file is gone too. */
  async #isStale(claim: Claim): Promise<boolean> {
    const owner = await this.#store.load(claim.taskId)
    if (owner === undefined) return true
    const state = taskState(owner)
    return owner.request === null && (state === 'COMPLETED' || state === 'CANCELLED')
  }
}
