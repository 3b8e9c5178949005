/**
 * The system's clock, which a test can stop and move on by itself: what is real (processes, disks, the network) stays
 * as it is.
 */
import { SystemClock } from '../../src/adapters/clock.ts'
import type { Clock } from '../../src/core/ports.ts'

interface Waiting {
  at: number
  callback: () => void
  cancel: () => void
}

export class HastyClock implements Clock {
  readonly #system = new SystemClock()
  readonly #waiting = new Set<Waiting>()
  /** how far it is ahead of the system's, or behind */
  #aheadMs = 0
  #stoppedAt: number | null = null

  now(): number {
    return Math.round(this.#system.now() - this.#system.monotonic() + this.monotonic())
  }

  monotonic(): number {
    return this.#stoppedAt ?? this.#system.monotonic() + this.#aheadMs
  }

  minuteOfWeek(): number {
    return this.#system.minuteOfWeek()
  }

  after(ms: number, callback: () => void): () => void {
    const waiting = { at: this.monotonic() + ms, callback, cancel: () => undefined }
    this.#waiting.add(waiting)
    this.#arm(waiting)
    return () => {
      waiting.cancel()
      this.#waiting.delete(waiting)
    }
  }

  #arm(waiting: Waiting): void {
    const waitMs = Math.max(0, waiting.at - this.monotonic())
    if (this.#stoppedAt !== null && waitMs > 0) return
    waiting.cancel = this.#system.after(waitMs, () => {
      this.#waiting.delete(waiting)
      waiting.callback()
    })
  }

  /** From now on only `skip` moves it. */
  stop(): void {
    this.#stoppedAt = this.monotonic()
    this.#armAll()
  }

  /** Goes on from where it stands. */
  go(): void {
    if (this.#stoppedAt === null) return
    this.#aheadMs = this.#stoppedAt - this.#system.monotonic()
    this.#stoppedAt = null
    this.#armAll()
  }

  /** Moves it on while it is stopped: what falls due is called back next. */
  skip(ms: number): void {
    if (this.#stoppedAt === null) throw new Error('only a clock that is stopped is moved on')
    this.#stoppedAt += ms
    this.#armAll()
  }

  #armAll(): void {
    for (const waiting of this.#waiting) {
      waiting.cancel()
      this.#arm(waiting)
    }
  }
}
