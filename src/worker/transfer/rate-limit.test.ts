import { describe, expect, it } from 'vitest'
import { RateLimiter } from './rate-limit.ts'

describe('the speed limit', () => {
  it.each([1000, 50_000, 10_000_000])(
    'keeps %d bytes per second within five percent over ten seconds',
    (rate) => {
      let now = 0
      const limiter = new RateLimiter(() => now)
      limiter.setLimit(rate)
      let received = 0
      while (now < 10_000) {
        const count = Math.min(limiter.readSize(), 65_536)
        received += count
        now += limiter.spend(count) + 1
      }
      expect(received / 10 / rate).toBeGreaterThan(0.95)
      expect(received / 10 / rate).toBeLessThan(1.05 + limiter.readSize() / rate / 10)
    },
  )

  it('lets everything pass without a limit, and changes at once', () => {
    const limiter = new RateLimiter(() => 0)
    expect(limiter.spend(1e9)).toBe(0)
    limiter.setLimit(1000)
    expect(limiter.spend(1000)).toBe(1000)
    limiter.setLimit(null)
    expect(limiter.spend(1e9)).toBe(0)
  })

  it('saves up no more than a tenth of a second', () => {
    let now = 0
    const limiter = new RateLimiter(() => now)
    limiter.setLimit(1000)
    now = 60_000
    expect(limiter.spend(100)).toBe(0)
    expect(limiter.spend(100)).toBe(100)
  })
})
