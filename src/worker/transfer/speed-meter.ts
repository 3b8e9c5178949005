/** Speed as people want to see it: a weighted mean over about three seconds, zero when nothing flows. */

const meanMs = 3_000

export class SpeedMeter {
  #bytesPerSecond = 0
  #received = 0
  #at = 0
  #since = 0

  get bytesPerSecond(): number {
    return this.#bytesPerSecond
  }

  /** Begins anew at monotonic `nowMs` with a count of zero. */
  restart(nowMs: number): void {
    this.#bytesPerSecond = 0
    this.#received = 0
    this.#at = nowMs
    this.#since = nowMs
  }

  /** `received`: bytes since the restart. */
  update(nowMs: number, received: number): void {
    const elapsed = nowMs - this.#at
    if (elapsed <= 0) return
    const speed = ((received - this.#received) * 1000) / elapsed
    this.#received = received
    this.#at = nowMs
    // A mean over three seconds cannot be older than the transfer: at first it is the mean since its begin.
    const window = Math.min(meanMs, Math.max(elapsed, nowMs - this.#since))
    const weight = 1 - Math.exp(-elapsed / window)
    this.#bytesPerSecond += (window < meanMs ? elapsed / window : weight) * (speed - this.#bytesPerSecond)
    if (this.#bytesPerSecond < 1) this.#bytesPerSecond = 0
  }
}
