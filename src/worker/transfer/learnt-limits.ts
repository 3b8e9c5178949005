/**
 * How many connections hosts were found to bear, for as long as the worker lives. The host process is told and leases
 * fewer; until it does, and for further steps of this attempt, these count.
 */
import { raisedLimit } from '../../shared/raised-limit.ts'

/** A host refused more than so many. */
export interface Refusal {
  readonly connections: number
  /** monotonic ms */
  readonly atMs: number
}

export class LearntLimits {
  readonly #now: () => number
  readonly #refusals = new Map<string, Refusal>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** The last refusal of each host, by origin: another object for another refusal. */
  get refusals(): ReadonlyMap<string, Refusal> {
    return this.#refusals
  }

  /** Connections that the host is taken to bear now; infinite where nothing was learnt. */
  of(origin: string): number {
    const refusal = this.#refusals.get(origin)
    if (refusal === undefined) return Number.POSITIVE_INFINITY
    return raisedLimit(refusal.connections, this.#now() - refusal.atMs)
  }

  learn(origin: string, connections: number): void {
    if (this.of(origin) < connections) return
    this.#refusals.set(origin, { connections, atMs: this.#now() })
  }
}
