import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseSplit, chooseTail, smallestSplitBytes } from './splitting.ts'

const MiB = 1024 * 1024

describe('splitting', () => {
  it('cuts into the lane that would end last by time, not by size', () => {
    const slow = { next: 0, end: 8 * MiB, bytesPerSecond: MiB }
    const fast = { next: 100 * MiB, end: 120 * MiB, bytesPerSecond: 10 * MiB }
    expect(chooseSplit([fast, slow], 5 * MiB)?.lane).toBe(slow)
  })

  it('cuts in proportion to the speeds', () => {
    const lane = { next: 0, end: 100 * MiB, bytesPerSecond: MiB }
    expect(chooseSplit([lane], 3 * MiB)?.at).toBe(25 * MiB)
    expect(chooseSplit([lane], MiB)?.at).toBe(50 * MiB)
  })

  it('never makes a piece below 1 MiB nor one outside its lane', () => {
    const lane = fc.record({ next: fc.nat(1e9), length: fc.nat(1e9), bytesPerSecond: fc.nat(1e9) })
    fc.assert(
      fc.property(fc.array(lane, { maxLength: 5 }), fc.nat(1e9), (specs, speed) => {
        const lanes = specs.map(({ next, length, bytesPerSecond }) => ({
          next,
          end: next + length,
          bytesPerSecond,
        }))
        const split = chooseSplit(lanes, speed)
        if (split === null) return
        expect(split.at).toBeGreaterThan(split.lane.next)
        expect(split.lane.end - split.at).toBeGreaterThanOrEqual(smallestSplitBytes)
      }),
    )
  })

  it('does not cut what is too small', () => {
    expect(chooseSplit([{ next: 0, end: MiB, bytesPerSecond: 1 }], MiB)).toBeNull()
    expect(chooseSplit([], MiB)).toBeNull()
  })

  it('asks again for the tail only where that is twice as fast', () => {
    const slow = { next: 0, end: 900_000, bytesPerSecond: 100_000 }
    const fair = { next: 0, end: 900_000, bytesPerSecond: 4_000_000 }
    expect(chooseTail([fair, slow], 4_000_000)).toBe(slow)
    expect(chooseTail([fair], 4_000_000)).toBeNull()
    expect(chooseTail([{ ...slow, next: 900_000 }], 4_000_000)).toBeNull()
  })
})
