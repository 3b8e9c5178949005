/** The system's clock, whose time a test can move on: what is real (processes, disks, the network) stays as it is. */
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
  #skippedMs = 0

  now(): number {
    return this.#system.now() + this.#skippedMs
  }

  monotonic(): number {
    return this.#system.monotonic() + this.#skippedMs
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
    waiting.cancel = this.#system.after(Math.max(0, waiting.at - this.monotonic()), () => {
      this.#waiting.delete(waiting)
      waiting.callback()
    })
  }

  /** Moves on by `ms`: what falls due is called back next. */
  skip(ms: number): void {
    this.#skippedMs += ms
    for (const waiting of this.#waiting) {
      waiting.cancel()
      this.#arm(waiting)
    }
  }
}
