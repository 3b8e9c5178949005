/** Orders and limits for steps, from the task, the settings and what other attempts use. */
import type { Settings } from '../../shared/settings.ts'
import type { Step, Task } from '../../shared/task/model.ts'
import type { NetworkRules, StepLimits, StepOrder } from '../../shared/worker-protocol.ts'
import type { FileSystem } from '../ports.ts'
import type { HostLimits } from '../scheduling/host-limits.ts'
import { bandwidthShares, connectionShare } from '../scheduling/shares.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import { orderFor } from './orders.ts'
import type { Run } from './run.ts'
import type { Runs } from './runs.ts'

export class OrderSource {
  readonly #files: FileSystem
  readonly #memory: TaskMemory
  readonly #runs: Runs
  readonly #settings: () => Settings
  readonly #network: () => NetworkRules
  readonly #ffmpegPath: () => string | null
  readonly #hostLimits: HostLimits
  readonly #speedLimit: () => number

  constructor(parts: {
    files: FileSystem
    memory: TaskMemory
    runs: Runs
    settings: () => Settings
    network: () => NetworkRules
    ffmpegPath: () => string | null
    hostLimits: HostLimits
    /** bytes per second over all tasks now; 0 is no limit */
    speedLimit: () => number
  }) {
    this.#files = parts.files
    this.#memory = parts.memory
    this.#runs = parts.runs
    this.#settings = parts.settings
    this.#network = parts.network
    this.#ffmpegPath = parts.ffmpegPath
    this.#hostLimits = parts.hostLimits
    this.#speedLimit = parts.speedLimit
  }

  order(task: Task, step: Step): StepOrder {
    return orderFor(task, step, {
      files: this.#files,
      settings: this.#settings(),
      network: this.#network(),
      ffmpegPath: this.#ffmpegPath(),
    })
  }

  /** `shares`: of the speed limit, when they are known already. */
  limits(task: Task, run: Run, shares = this.bandwidthShares()): StepLimits {
    const settings = this.#settings()
    const peers = 1 + this.#hostLimits.peersOf(task).length
    const wanted = task.parameters.connections ?? settings.connectionsPerTask
    return {
      connections: connectionShare(this.#hostLimits.capacityFor(task), wanted, peers),
      bytesPerSecond: shares.get(run.taskId) ?? task.parameters.speedLimitBytesPerSecond,
      retryBudget: settings.retryBudget,
      stallTimeoutMs: settings.stallTimeoutSeconds * 1000,
    }
  }

  /** Shares of the global speed limit by what the attempts use; the figures are as of the last reports. */
  bandwidthShares(): ReadonlyMap<string, number | null> {
    const demands = this.#runs.all().map((other) => ({
      id: other.taskId,
      ownLimit: this.#memory.live(other.taskId)?.parameters.speedLimitBytesPerSecond ?? null,
      measured: other.measuredSpeed,
    }))
    return bandwidthShares(this.#speedLimit(), demands)
  }
}
