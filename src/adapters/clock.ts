import type { Clock } from '../core/ports.ts'

/** The system's clocks. Timers keep the process alive: whoever starts one cancels it. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now()
  }

  monotonic(): number {
    return performance.now()
  }

  minuteOfWeek(): number {
    const now = new Date()
    // Sunday is day 0 of a Date, the last one of our week
    return ((now.getDay() + 6) % 7) * 1440 + now.getHours() * 60 + now.getMinutes()
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
