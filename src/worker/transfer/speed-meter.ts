/** Speed as people want to see it: a weighted mean over about three seconds, zero when nothing flows. */

const meanMs = 3_000
/** Without a byte for this long nothing flows, whatever the mean still says. */
const silenceMs = 2_500

export class SpeedMeter {
  #bytesPerSecond = 0
  #received = 0
  #at = 0
  #since = 0
  #lastByteAt = 0

  get bytesPerSecond(): number {
    return this.#bytesPerSecond
  }

  /**
   * Begins anew with a count of zero. `sinceMs`: when the bytes were asked for (monotonic). They may have waited in
   * the system's buffers until the transfer began to read; counted from then on they would make a false speed.
   */
  restart(sinceMs: number): void {
    this.#bytesPerSecond = 0
    this.#received = 0
    this.#at = sinceMs
    this.#since = sinceMs
    this.#lastByteAt = sinceMs
  }

  /** `received`: bytes since the restart. */
  update(nowMs: number, received: number): void {
    const elapsed = nowMs - this.#at
    if (elapsed <= 0) return
    const speed = ((received - this.#received) * 1000) / elapsed
    if (received > this.#received) this.#lastByteAt = nowMs
    this.#received = received
    this.#at = nowMs
    // A mean over three seconds cannot be older than the transfer: at first it is the mean since its begin.
    const window = Math.min(meanMs, Math.max(elapsed, nowMs - this.#since))
    const weight = 1 - Math.exp(-elapsed / window)
    this.#bytesPerSecond += (window < meanMs ? elapsed / window : weight) * (speed - this.#bytesPerSecond)
    if (this.#bytesPerSecond < 1 || nowMs - this.#lastByteAt >= silenceMs) this.#bytesPerSecond = 0
  }
}
