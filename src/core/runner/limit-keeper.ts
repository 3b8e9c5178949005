/** Shares connections and bandwidth out again whenever attempts come, go, or use what they have differently. */
import type { StepLimits } from '../../shared/worker-protocol.ts'
import type { Clock } from '../ports.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import type { OrderSource } from './order-source.ts'
import type { Runs } from './runs.ts'

/** A share that moved less than this is left as it is: the worker need not hear of noise. */
const noise = 0.05

function differs(held: StepLimits, fresh: StepLimits): boolean {
  if (held.bytesPerSecond !== null && fresh.bytesPerSecond !== null) {
    const moved = Math.abs(held.bytesPerSecond - fresh.bytesPerSecond)
    if (moved > noise * held.bytesPerSecond) return true
  } else if (held.bytesPerSecond !== fresh.bytesPerSecond) return true
  return (
    held.connections !== fresh.connections ||
    held.retryBudget !== fresh.retryBudget ||
    held.stallTimeoutMs !== fresh.stallTimeoutMs
  )
}

export class LimitKeeper {
  readonly #clock: Clock
  readonly #runs: Runs
  readonly #memory: TaskMemory
  readonly #orders: OrderSource

  constructor(parts: { clock: Clock; runs: Runs; memory: TaskMemory; orders: OrderSource }) {
    this.#clock = parts.clock
    this.#runs = parts.runs
    this.#memory = parts.memory
    this.#orders = parts.orders
  }

  share(): void {
    const now = this.#clock.monotonic()
    for (const run of this.#runs.all()) run.measuredSpeed = run.figures.speed(now)
    const shares = this.#orders.bandwidthShares()
    for (const run of this.#runs.all()) {
      const task = this.#memory.live(run.taskId)
      if (task === undefined || run.phase !== 'running' || run.limits === null) continue
      const limits = this.#orders.limits(task, run, shares)
      if (!differs(run.limits, limits)) continue
      run.limits = limits
      run.lease?.send({ kind: 'set-limits', attemptId: run.attemptId, token: run.token, limits })
    }
  }
}
