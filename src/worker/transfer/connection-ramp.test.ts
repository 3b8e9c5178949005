import { describe, expect, it } from 'vitest'
import { ConnectionRamp } from './connection-ramp.ts'

const MiB = 1024 * 1024

/**
 * Runs a ramp against a host whose throughput is a function of the connections and of time (ms); answers the
 * connections that there should be every 25 ms.
 */
function climb(
  speedOf: (connections: number, nowMs: number) => number,
  options: { allowed?: number; remaining?: number; limit?: number; ms?: number } = {},
): number[] {
  const ramp = new ConnectionRamp()
  const counts: number[] = []
  let received = 0
  let flowing = 1
  for (let nowMs = 0; nowMs < (options.ms ?? 5000); nowMs += 25) {
    received += speedOf(flowing, nowMs) / 40
    const target = ramp.update({
      nowMs,
      flowing,
      opening: 0,
      received,
      remaining: options.remaining ?? 1e12,
      allowed: options.allowed ?? 16,
      limitBytesPerSecond: options.limit ?? null,
    })
    flowing = target
    counts.push(target)
  }
  return counts
}

describe('the number of connections', () => {
  it('grows up to what is allowed while each brings its share, within a fifth of a second', () => {
    const counts = climb((n) => n * 4 * MiB)
    expect(counts[0]).toBe(1)
    expect(counts.indexOf(16) * 25).toBeLessThan(200)
    expect(Math.max(...climb((n) => n * 4 * MiB, { allowed: 6 }))).toBe(6)
  })

  it('takes back what brought nothing', () => {
    expect(climb((n) => Math.min(n, 4) * 4 * MiB).at(-1)).toBe(4)
    expect(climb((n) => Math.min(n, 6) * 4 * MiB).at(-1)).toBe(6)
  })

  it('asks for no more than four where those four bring nothing', () => {
    expect(Math.max(...climb(() => 4 * MiB, { ms: 9_000 }))).toBe(4)
  })

  it('grows less boldly when it tries again after a while', () => {
    expect(Math.max(...climb(() => 4 * MiB, { ms: 20_000 }))).toBe(8)
  })

  it('takes nothing back because the host paused for a moment, or became slow later', () => {
    const pausing = climb((n, nowMs) => (nowMs > 150 && nowMs < 300 ? 0 : n * 4 * MiB))
    expect(pausing.at(-1)).toBe(16)
    expect(climb((n, nowMs) => (nowMs > 1_000 ? 1 : n) * 4 * MiB).at(-1)).toBe(16)
  })

  it('adds none for work that is soon through', () => {
    expect(Math.max(...climb(() => 1000 * MiB, { remaining: 400 * MiB }))).toBe(1)
  })

  it('adds none beyond the own speed limit', () => {
    expect(Math.max(...climb(() => MiB, { limit: MiB }))).toBe(1)
  })

  it('waits while connections are on their way', () => {
    const ramp = new ConnectionRamp()
    for (let nowMs = 0; nowMs < 2000; nowMs += 50) {
      const facts = { nowMs, flowing: 1, opening: 1, received: nowMs, remaining: 1e9, allowed: 16 }
      expect(ramp.update({ ...facts, limitBytesPerSecond: null })).toBe(1)
    }
  })

  it('holds for a while after a host refused one more', () => {
    const ramp = new ConnectionRamp()
    ramp.hold(2, 0)
    let target = 0
    for (let nowMs = 0; nowMs < 9_000; nowMs += 50) {
      const facts = { nowMs, flowing: 2, opening: 0, received: nowMs * 1e5, remaining: 1e12, allowed: 16 }
      target = ramp.update({ ...facts, limitBytesPerSecond: null })
    }
    expect(target).toBe(2)
  })
})
