/**
 * The only way to change a task: commit, then memory, then whoever listens. Names are granted and claims are
 * derived here, so every transaction carries them.
 */
import type { Task } from '../../shared/task/model.ts'
import { SluiceError } from '../../shared/errors.ts'
import { claimsOf } from '../names/claims.ts'
import type { Granting, NameGrants } from '../names/name-grants.ts'
import type { Change, Claim, FileSystem, TaskStore } from '../ports.ts'
import type { Effect, Transition } from '../transition/transition.ts'
import type { TaskMemory } from './task-memory.ts'

export interface Entry {
  readonly before: Task | null
  readonly transition: Transition
  /** refuse the transaction unless this step is stored running under this token */
  readonly requires?: { stepId: string; token: number }
  /** a granted name that turned out to exist */
  readonly avoid?: string | null
}

/** What a listener hears of a task that changed; `after` is null when it was removed. */
export interface Written {
  readonly before: Task | null
  readonly after: Task | null
  readonly effects: readonly Effect[]
}

export type WrittenListener = (written: readonly Written[]) => void

function sameClaims(a: readonly Claim[], b: readonly Claim[]): boolean {
  return a.length === b.length && a.every((claim, index) => claim.foldedPath === b[index]?.foldedPath)
}

export class TaskWriter {
  readonly #store: TaskStore
  readonly #files: FileSystem
  readonly #memory: TaskMemory
  readonly #names: NameGrants
  readonly #listeners: WrittenListener[] = []

  constructor(parts: { store: TaskStore; files: FileSystem; memory: TaskMemory; names: NameGrants }) {
    this.#store = parts.store
    this.#files = parts.files
    this.#memory = parts.memory
    this.#names = parts.names
  }

  onWritten(listener: WrittenListener): void {
    this.#listeners.push(listener)
  }

  /** One transaction. Throws when it could not be committed; then nothing has changed. */
  async write(entries: readonly Entry[]): Promise<void> {
    // names are trusted to be free; then looked into; then once more, since their holder may have come back meanwhile
    for (const granting of ['trusting', 'careful', 'careful'] as const) {
      if (await this.#isWritten(entries, granting)) return
    }
    throw new SluiceError('INTERNAL', 'An outdated change of a task was refused')
  }

  /** False when it was refused: a step is not running any more, or a name is not what `granting` took it for. */
  async #isWritten(entries: readonly Entry[], granting: Granting): Promise<boolean> {
    const changes: Change[] = []
    const written: Written[] = []
    const endings: (() => void)[] = []
    try {
      for (const entry of entries) {
        const { before, transition, avoid = null } = entry
        const granted = await this.#names.grant(before, transition.task, { granting, avoid })
        endings.push(() => granted.done())
        changes.push(...this.#changes(entry, granted.task), ...granted.changes)
        written.push({ before, after: granted.task, effects: transition.effects })
      }
      const result = await this.#store.commit(changes)
      if (result.kind === 'stale') return false
      this.#publish(written)
      return true
    } finally {
      for (const end of endings) end()
    }
  }

  /** Takes the task and everything it held out of the store; its ended jobs stay as history. */
  async remove(task: Task, jobs: Transition['jobs']): Promise<void> {
    const changes: Change[] = jobs.map((job) => ({ kind: 'put-job', job }))
    changes.push(
      { kind: 'put-claims', taskId: task.id, claims: [] },
      { kind: 'remove-task', taskId: task.id },
    )
    await this.#store.commit(changes)
    this.#publish([{ before: task, after: null, effects: [] }])
  }

  #changes(entry: Entry, after: Task): Change[] {
    const { before, transition } = entry
    const changes: Change[] = []
    if (entry.requires !== undefined) {
      changes.push({ kind: 'require-running', taskId: after.id, ...entry.requires })
    }
    for (const job of transition.jobs) changes.push({ kind: 'put-job', job })
    if (before?.job !== after.job) changes.push({ kind: 'put-job', job: after.job })
    if (transition.endedAttempt !== null) {
      changes.push({ kind: 'put-attempt', attempt: transition.endedAttempt })
    } else if (after.attempt !== null && after.attempt !== before?.attempt) {
      changes.push({ kind: 'put-attempt', attempt: after.attempt })
    }
    changes.push({ kind: 'put-task', task: after })
    const claims = claimsOf(after, this.#files)
    const held = before === null ? [] : claimsOf(before, this.#files)
    if (!sameClaims(held, claims)) changes.push({ kind: 'put-claims', taskId: after.id, claims })
    return changes
  }

  #publish(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after !== null) this.#memory.replace(after)
      else if (before !== null) this.#memory.remove(before.id)
    }
    for (const listener of this.#listeners) listener(written)
  }
}
