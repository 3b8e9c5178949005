import { describe, expect, it, vi } from 'vitest'
import { SystemClock } from './clock.ts'

describe('the clock of the system', () => {
  const clock = new SystemClock()

  it('calls back once, not before its time', async () => {
    const start = clock.monotonic()
    let calls = 0
    await new Promise<void>((resolve) => {
      clock.after(20, () => {
        calls++
        resolve()
      })
    })
    expect(clock.monotonic() - start).toBeGreaterThan(18)
    expect(calls).toBe(1)
  })

  it('counts the minutes of the local week from Monday on', () => {
    vi.useFakeTimers()
    try {
      vi.setSystemTime(new Date(2026, 2, 2, 0, 0, 59))
      expect(clock.minuteOfWeek()).toBe(0)
      vi.setSystemTime(new Date(2026, 2, 8, 23, 59))
      expect(clock.minuteOfWeek()).toBe(7 * 1440 - 1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('does not call back when it was cancelled', async () => {
    let calls = 0
    clock.after(0, () => calls++)()
    await new Promise<void>((resolve) => clock.after(5, resolve))
    expect(calls).toBe(0)
  })

  it('takes waits longer than a timer of the system can be, and cancels them in any part', () => {
    vi.useFakeTimers()
    try {
      const longest = 2 ** 31 - 1
      let calls = 0
      clock.after(longest + 10, () => calls++)
      const cancel = clock.after(longest + 10, () => (calls += 100))
      // as one timer it would be taken for 1 ms
      vi.advanceTimersByTime(longest)
      expect(calls).toBe(0)
      cancel()
      vi.advanceTimersByTime(10)
      expect(calls).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })
})
