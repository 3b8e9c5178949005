/** Token bucket for one attempt's speed limit. Time comes in, so that the rule can be tested without waiting. */

/** How far ahead of the limit a transfer may run, in seconds of it. */
const burstSeconds = 0.1

export class RateLimiter {
  #bytesPerSecond: number | null = null
  #tokens = 0
  #at = 0
  readonly #now: () => number

  /** `now` is monotonic ms. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** null: no limit */
  setLimit(bytesPerSecond: number | null): void {
    if (bytesPerSecond === this.#bytesPerSecond) return
    this.#bytesPerSecond = bytesPerSecond
    this.#tokens = 0
    this.#at = this.#now()
  }

  /** Takes the tokens of bytes that have arrived; answers how many ms to wait before the next ones. */
  spend(bytes: number): number {
    const rate = this.#bytesPerSecond
    if (rate === null) return 0
    const now = this.#now()
    this.#tokens = Math.min(this.#tokens + ((now - this.#at) * rate) / 1000, rate * burstSeconds) - bytes
    this.#at = now
    return this.#tokens >= 0 ? 0 : Math.ceil((-this.#tokens * 1000) / rate)
  }

  /** Most bytes to read at once: about 50 ms of the limit. */
  readSize(): number {
    const rate = this.#bytesPerSecond
    return rate === null ? Number.POSITIVE_INFINITY : Math.max(1024, Math.floor(rate / 20))
  }
}
