/**
 * Room and volumes. Before a dispatch the folder must be writable and its volume have room for the task, for
 * what running ones still need, and for the reserve. A volume that is full or away is held once.
 */
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError, toErrorRecord } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock, FileSystem } from '../ports.ts'
import type { Written } from '../service/task-writer.ts'
import type { HeldConditions } from './held-conditions.ts'

/** how long a look at a volume counts, in ms */
const freshMs = 2000
/** the whole queue is added up this often at most, in ms */
const sumMs = 30_000

interface Look {
  readonly at: number
  readonly freeBytes: number
  readonly volume: string
}

export interface StorageConditionParts {
  readonly clock: Clock
  readonly files: FileSystem
  readonly held: HeldConditions
  reserveBytes(): number
  /** bytes that running tasks on this volume will still write */
  neededByRunning(isOnVolume: (folder: string) => boolean): number
  /** bytes that waiting tasks on this volume will still write, as far as their sizes are known */
  neededByQueue(isOnVolume: (folder: string) => boolean): number
  /** the whole queue is larger than the room there is: said ahead, once until it fits again */
  onTight(error: ErrorRecord): void
  /** bytes that this task will still write */
  neededBy(task: Task): number
  /** tasks that are paused for this volume and resume by themselves */
  pausedOn(isOnVolume: (folder: string) => boolean): Task[]
  /** a folder turned out to be unusable when this task had its turn */
  onUnusable(taskId: string, error: ErrorRecord): Promise<void>
  /** the volume is well: these return to the head */
  onWell(taskIds: readonly string[]): Promise<void>
  /** something was found out: the scheduler may go on */
  onLooked(): void
}

export type Admission = 'admitted' | 'blocked' | 'looking'

export class StorageConditions {
  readonly #parts: StorageConditionParts
  readonly #looks = new Map<string, Look>()
  readonly #volumes = new Map<string, string>()
  readonly #looking = new Set<string>()
  /** by volume: when the queue was added up last, and whether it fitted */
  readonly #sums = new Map<string, { at: number; isTight: boolean }>()
  /** waiting tasks that do not fit now, as they were when that was found out */
  readonly #short = new Map<string, { task: Task; error: ErrorRecord }>()

  constructor(parts: StorageConditionParts) {
    this.#parts = parts
  }

  /** Why this task is held back by its volume, null when it is not. */
  blockOf(task: Task): ErrorRecord | null {
    return this.#parts.held.get(this.#key(task.parameters.folder)) ?? this.#short.get(task.id)?.error ?? null
  }

  /** Whether its volume is being looked at for somebody who wants to go on. */
  isAwaited(task: Task): boolean {
    return this.#parts.held.isAwaited(this.#key(task.parameters.folder))
  }

  /** A look that is too old is taken anew; the answer comes with `onLooked`. */
  admit(task: Task): Admission {
    const { folder } = task.parameters
    if (this.#parts.held.get(this.#key(folder)) !== null) return 'blocked'
    const look = this.#looks.get(folder)
    if (look === undefined || this.#parts.clock.monotonic() - look.at > freshMs) {
      void this.#look(task)
      return 'looking'
    }
    return this.#hasRoom(task, look) ? 'admitted' : 'blocked'
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after === null || taskState(after) !== 'WAITING') {
        const id = (after ?? before)?.id
        if (id !== undefined) this.#short.delete(id)
      }
      if (after !== null) this.note(after)
      // who says "resume" has made room; the next look by itself may be minutes away
      if (before?.pause?.kind === 'storage' && after !== null && taskState(after) === 'WAITING') {
        this.#parts.held.askNow(this.#key(after.parameters.folder))
      }
    }
  }

  /** A storage pause that resumes by itself needs its volume watched, also after a restart of the host. */
  note(task: Task): void {
    if (taskState(task) !== 'PAUSED' || task.pause?.kind !== 'storage' || !task.pause.resumesByItself) return
    this.#holdVolume(task.pause.folder, task.pause.error)
  }

  #key(folder: string): string {
    return `volume ${this.#volumes.get(folder) ?? folder}`
  }

  #isOn(folder: string): (other: string) => boolean {
    const key = this.#key(folder)
    return (other) => this.#key(other) === key
  }

  #hasRoom(task: Task, look: Look): boolean {
    const needed = this.#parts.neededBy(task)
    const neededByRunning = this.#parts.neededByRunning(this.#isOn(task.parameters.folder))
    const reservedBytes = this.#parts.reserveBytes() + neededByRunning
    if (look.freeBytes - reservedBytes >= needed) {
      this.#short.delete(task.id)
      return true
    }
    const fits = look.freeBytes - neededByRunning >= needed
    const error = new SluiceError(
      'STORAGE_FULL',
      fits
        ? 'This task would leave less room on the drive than is to stay free'
        : 'There is not enough room for this task on the drive',
      {
        hint: 'Free space on the drive, or choose another folder; it starts by itself when there is room.',
        details: { neededBytes: needed, freeBytes: look.freeBytes, reservedBytes },
      },
    ).toRecord()
    this.#short.set(task.id, { task, error })
    this.#watchRoom(task.parameters.folder)
    return false
  }

  /** Looks again from time to time while something does not fit. */
  #watchRoom(folder: string): void {
    this.#parts.held.hold({
      key: `room ${this.#volumes.get(folder) ?? folder}`,
      error: new SluiceError('STORAGE_FULL', 'There is not enough room on the drive').toRecord(),
      probe: async () => {
        const look = await this.#examine(folder)
        const isHere = this.#isOn(folder)
        const waiting = [...this.#short.values()].filter(({ task }) => isHere(task.parameters.folder))
        return waiting.length === 0 || waiting.some(({ task }) => this.#hasRoom(task, look))
      },
      onEnd: () => Promise.resolve(),
    })
  }

  async #look(task: Task): Promise<void> {
    const { folder } = task.parameters
    if (this.#looking.has(folder)) return
    this.#looking.add(folder)
    try {
      await this.#examine(folder)
    } catch (thrown) {
      const error = toErrorRecord(thrown)
      this.#holdVolume(folder, error)
      await this.#parts.onUnusable(task.id, error)
    } finally {
      this.#looking.delete(folder)
      this.#parts.onLooked()
    }
  }

  async #examine(folder: string): Promise<Look> {
    const { files, clock } = this.#parts
    await files.ensureFolder(folder)
    const { freeBytes, volume } = await files.space(folder)
    // While something is held under the folder's present key, that key stays.
    if (this.#parts.held.get(this.#key(folder)) === null) this.#volumes.set(folder, volume)
    const look = { at: clock.monotonic(), freeBytes, volume }
    this.#looks.set(folder, look)
    this.#warnAhead(folder, look)
    return look
  }

  #warnAhead(folder: string, look: Look): void {
    const sum = this.#sums.get(look.volume)
    if (sum !== undefined && look.at - sum.at < sumMs) return
    const isHere = this.#isOn(folder)
    const neededBytes = this.#parts.neededByRunning(isHere) + this.#parts.neededByQueue(isHere)
    const isTight = look.freeBytes - this.#parts.reserveBytes() < neededBytes
    this.#sums.set(look.volume, { at: look.at, isTight })
    if (!isTight || sum?.isTight === true) return
    this.#parts.onTight(
      new SluiceError('STORAGE_FULL', 'There is not enough room on the drive for the whole queue', {
        hint: 'Free space on the drive, or choose another folder for some of it.',
        details: { neededBytes, freeBytes: look.freeBytes, folder },
      }).toRecord(),
    )
  }

  #holdVolume(folder: string, error: ErrorRecord): void {
    this.#parts.held.hold({
      key: this.#key(folder),
      error,
      probe: () => this.#isWell(folder),
      onEnd: () => this.#parts.onWell(this.#parts.pausedOn(this.#isOn(folder)).map((task) => task.id)),
    })
  }

  /** Writable, with the reserve free and room for the least of those that wait for it. */
  async #isWell(folder: string): Promise<boolean> {
    const { freeBytes } = await this.#examine(folder)
    const paused = this.#parts.pausedOn(this.#isOn(folder))
    const least = paused.length === 0 ? 0 : Math.min(...paused.map((task) => this.#parts.neededBy(task)))
    return freeBytes >= this.#parts.reserveBytes() + least
  }
}
