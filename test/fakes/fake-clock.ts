/**
 * Time that only moves when a test says so. Between two timers everything that is ready runs to its end, so a
 * test sees the same order every time.
 */
import type { Clock } from '../../src/core/ports.ts'

interface Timer {
  at: number
  order: number
  callback: () => void
}

/** Lets every promise that can settle do so. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export class FakeClock implements Clock {
  #monotonic = 1_000
  #wallOffset = 1_750_000_000_000
  #order = 0
  readonly #timers = new Set<Timer>()
  readonly #settle: () => Promise<void>

  /** @param settle lets everything that is ready run to its end */
  constructor(settle: () => Promise<void> = settled) {
    this.#settle = settle
  }

  now(): number {
    return this.#monotonic + this.#wallOffset
  }

  monotonic(): number {
    return this.#monotonic
  }

  /** In UTC: 1970 began on a Thursday. */
  minuteOfWeek(): number {
    return (Math.floor(this.now() / 60_000) + 3 * 1440) % (7 * 1440)
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + ms, order: this.#order++, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  get pendingTimers(): number {
    return this.#timers.size
  }

  /** The process that set the timers is gone. */
  forgetTimers(): void {
    this.#timers.clear()
  }

  /** The wall clock is set; what has elapsed stays. */
  jumpWall(ms: number): void {
    this.#wallOffset += ms
  }

  /** The machine sleeps: time goes on, nothing runs; timers that are due fire late. */
  async suspend(ms: number): Promise<void> {
    this.#monotonic += ms
    await this.advance(0)
  }

  async advance(ms: number): Promise<void> {
    const until = this.#monotonic + ms
    await this.#settle()
    for (;;) {
      const next = [...this.#timers]
        .filter((timer) => timer.at <= until)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0]
      if (next === undefined) break
      this.#timers.delete(next)
      this.#monotonic = Math.max(this.#monotonic, next.at)
      next.callback()
      await this.#settle()
    }
    this.#monotonic = Math.max(this.#monotonic, until)
    await this.#settle()
  }
}
