/**
 * Two clocks for every attempt: liveness (the worker's loop is heard) and progress (its work moves). What is
 * over its limit is asked to stop, and killed when it does not. Time in which this host was itself suspended
 * counts for nobody.
 */
import type { Clock } from '../ports.ts'
import type { Run } from '../runner/run.ts'
import type { Runs } from '../runner/runs.ts'

export const silentLimitMs = 15_000
export const pollMs = 1000
/** a poll that comes this late means that the host did not run */
const suspendedAfterMs = 5000

export interface SupervisorParts {
  readonly clock: Clock
  readonly runs: Runs
  stallLimitMs(): number
  /** ids of the task's running steps */
  runningSteps(taskId: string): string[]
  stop(run: Run, stepIds: readonly string[]): void
  kill(run: Run, fault: Run['fault']): void
  onFault(taskId: string | null, error: unknown): void
  /** once a second while attempts are alive */
  onPoll(): void
}

export class Supervisor {
  readonly #parts: SupervisorParts
  #polledAt = 0
  #cancel: (() => void) | null = null

  constructor(parts: SupervisorParts) {
    this.#parts = parts
  }

  /** Polls while there is something to watch; told whenever an attempt takes a slot. */
  wake(): void {
    if (this.#cancel !== null) return
    this.#polledAt = this.#parts.clock.monotonic()
    this.#arm()
  }

  close(): void {
    this.#cancel?.()
    this.#cancel = null
  }

  #arm(): void {
    this.#cancel = this.#parts.clock.after(pollMs, () => this.#poll())
  }

  #poll(): void {
    const { clock, runs } = this.#parts
    const now = clock.monotonic()
    const late = now - this.#polledAt - pollMs
    this.#polledAt = now
    if (late > suspendedAfterMs) {
      for (const run of runs.all()) run.shiftClocks(late, now)
    }
    for (const run of runs.all()) this.#inspect(run, now)
    this.#parts.onPoll()
    if (runs.size === 0) this.#cancel = null
    else this.#arm()
  }

  /** A fault in here ends that attempt and its processes, never the host. */
  #inspect(run: Run, now: number): void {
    try {
      this.#check(run, now)
    } catch (thrown) {
      this.#parts.onFault(run.taskId, thrown)
      this.#parts.kill(run, 'crashed')
    }
  }

  #check(run: Run, now: number): void {
    if (run.phase === 'starting' || run.end !== null) return
    if (run.killAt !== null && now >= run.killAt) {
      this.#parts.kill(run, run.fault)
      return
    }
    if (run.phase === 'finishing' || run.fault !== null) return
    const silentMs = now - run.heardAt
    const idleMs = now - run.progressedAt
    if (silentMs >= silentLimitMs) this.#stop(run, 'silent')
    else if (idleMs >= this.#parts.stallLimitMs()) this.#stop(run, 'stalled')
  }

  #stop(run: Run, fault: 'silent' | 'stalled'): void {
    run.fault = fault
    this.#parts.stop(run, this.#parts.runningSteps(run.taskId))
  }
}
