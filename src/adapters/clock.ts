import type { Clock } from '../core/ports.ts'

/** The system's clocks. Timers keep the process alive: whoever starts one cancels it. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now()
  }

  monotonic(): number {
    return performance.now()
  }

  after(ms: number, callback: () => void): () => void {
    // setTimeout takes 31 bits; a longer wait (a schedule weeks ahead) is cut into pieces
    const piece = Math.min(ms, 2 ** 31 - 1)
    let cancel = () => clearTimeout(timer)
    const timer = setTimeout(() => {
      if (piece < ms) cancel = this.after(ms - piece, callback)
      else callback()
    }, piece)
    return () => cancel()
  }
}
