/**
 * Whether file calls may be made on the spot. What a write puts into the system's memory is there in the time that
 * handing it to a thread and hearing of its end takes, and waking a thread costs another processor as much again. But a
 * drive that is slow, or has too much to write back, holds its caller up, and with it every transfer of the process:
 * after one such call the next ones go to threads for a while.
 */

/**
 * Time in ms from which on a call was slow. A quick one takes a tenth of a millisecond; a few of them seldom say anything
 * of the drive: the process has waited for a processor.
 */
const slowMs = 20
/** Time in ms for which threads are used after a slow call; twice as long after each that follows soon, up to the other. */
const shortestDistrustMs = 1_000
const longestDistrustMs = 32_000

export class WritePace {
  readonly #now: () => number
  #distrustMs = shortestDistrustMs
  #trustedFrom = Number.NEGATIVE_INFINITY

  /** `now` is monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** True while calls may be made on the spot. */
  get isQuick(): boolean {
    return this.#now() >= this.#trustedFrom
  }

  /** Makes a call on the spot and remembers whether it was slow; throws what the call throws. */
  onTheSpot<T>(call: () => T): T {
    const began = this.#now()
    try {
      return call()
    } finally {
      const ended = this.#now()
      if (ended - began >= slowMs) this.#distrust(began, ended)
    }
  }

  /** Makes a call on the spot while that is quick, else by a thread; rejects with what it throws. */
  async make<T>(onTheSpot: () => T, byThread: () => Promise<T>): Promise<T> {
    return this.isQuick ? this.onTheSpot(onTheSpot) : byThread()
  }

  #distrust(began: number, ended: number): void {
    const isRepeated = began - this.#trustedFrom < longestDistrustMs
    this.#distrustMs = isRepeated ? Math.min(this.#distrustMs * 2, longestDistrustMs) : shortestDistrustMs
    this.#trustedFrom = ended + this.#distrustMs
  }
}
