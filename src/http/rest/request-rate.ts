/** A bound on how fast one address may queue downloads: a script that runs wild is told to wait. */
import type { Clock } from '../../core/ports.ts'

/** Downloads that may be queued in a row before the rate counts. */
const burst = 200
const perSecond = 50
/** Addresses that are remembered; one that is forgotten has its whole burst again. */
const mostAddresses = 1000

export class RequestRate {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #tokens = new Map<string, { left: number; at: number }>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Seconds to wait; 0: go on, and it is counted. */
  take(address: string): number {
    const now = this.#clock.monotonic()
    const known = this.#tokens.get(address) ?? { left: burst, at: now }
    const left = Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond)
    this.#tokens.delete(address)
    this.#tokens.set(address, { left: left >= 1 ? left - 1 : left, at: now })
    const [oldest] = this.#tokens.keys()
    if (this.#tokens.size > mostAddresses && oldest !== undefined) this.#tokens.delete(oldest)
    return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perSecond))
  }
}
