/** What holds waiting tasks back although it is not their own: the hours, the network, their host, their volume. */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock, FileSystem, NetworkProbe } from '../ports.ts'
import type { Runs } from '../runner/runs.ts'
import type { Resumptions } from '../service/resumptions.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import type { Written } from '../service/task-writer.ts'
import { HeldConditions } from './held-conditions.ts'
import type { HostLimits } from './host-limits.ts'
import { NetworkConditions } from './network-conditions.ts'
import { spaceNeeded } from './space-needs.ts'
import type { Admission } from './storage-conditions.ts'
import { StorageConditions } from './storage-conditions.ts'

export interface ConditionParts {
  readonly clock: Clock
  readonly files: FileSystem
  readonly network: NetworkProbe
  readonly runs: Runs
  readonly memory: TaskMemory
  readonly resumptions: Resumptions
  readonly hostLimits: HostLimits
  reserveBytes(): number
  /** why nothing may start now, whatever it is */
  outsideHours(): ErrorRecord | null
  /** the queue is larger than the room for it */
  onTight(error: ErrorRecord): void
  onFault(taskId: string | null, error: unknown): void
  /** who is held back, or why, may have changed */
  onChange(): void
}

export class Conditions {
  readonly #outsideHours: () => ErrorRecord | null
  readonly #held: HeldConditions
  readonly #network: NetworkConditions
  readonly #hostLimits: HostLimits
  readonly #storage: StorageConditions

  constructor(parts: ConditionParts) {
    const { clock, files, network, runs, memory, resumptions } = parts
    this.#outsideHours = () => parts.outsideHours()
    this.#hostLimits = parts.hostLimits
    this.#held = new HeldConditions(clock, () => parts.onChange())
    this.#network = new NetworkConditions({
      held: this.#held,
      network,
      isFlowing: () => runs.all().some((run) => run.figures.speed(clock.monotonic()) > 0),
      onAnswers: (hosts) => resumptions.hostsAnswer(hosts),
      onAsked: () => parts.onChange(),
      onFault: (error) => parts.onFault(null, error),
    })
    const neededBy = (task: Task) => spaceNeeded(task, (stepId) => runs.of(task.id)?.figures.of(stepId))
    this.#storage = new StorageConditions({
      clock,
      files,
      held: this.#held,
      reserveBytes: () => parts.reserveBytes(),
      neededBy,
      neededByQueue: (isOnVolume) => {
        let needed = 0
        for (const id of memory.queue.ids()) {
          const task = memory.live(id)
          if (task !== undefined && isOnVolume(task.parameters.folder)) needed += neededBy(task)
        }
        return needed
      },
      onTight: (error) => parts.onTight(error),
      neededByRunning: (isOnVolume) =>
        runs.all().reduce((sum, run) => {
          const task = memory.live(run.taskId)
          return task !== undefined && isOnVolume(task.parameters.folder) ? sum + neededBy(task) : sum
        }, 0),
      pausedOn: (isOnVolume) => resumptions.pausedForStorage(isOnVolume),
      onUnusable: (taskId, error) => resumptions.folderIsUnusable(taskId, error),
      onWell: (taskIds) => resumptions.volumeIsWell(taskIds),
      onLooked: () => parts.onChange(),
    })
  }

  admit(task: Task): Admission {
    if (this.#elsewhere(task) !== null || this.#network.isAsking(task)) return 'blocked'
    return this.#storage.admit(task)
  }

  blockOf(task: Task): ErrorRecord | null {
    return this.#elsewhere(task) ?? this.#storage.blockOf(task)
  }

  /** Whether what holds it back is waited for no longer than it takes to ask about it. */
  isAwaited(task: Task): boolean {
    return this.#elsewhere(task) === null && this.#storage.isAwaited(task)
  }

  /** What holds it back beside its volume. */
  #elsewhere(task: Task): ErrorRecord | null {
    return this.#outsideHours() ?? this.#network.blockOf(task) ?? this.#hostLimits.block(task)
  }

  take(written: readonly Written[]): void {
    this.#network.take(written)
    this.#storage.take(written)
  }

  /** Pauses of an earlier life that wait for their volume. */
  restore(tasks: Iterable<Task>): void {
    for (const task of tasks) this.#storage.note(task)
  }

  close(): void {
    this.#held.close()
  }
}
