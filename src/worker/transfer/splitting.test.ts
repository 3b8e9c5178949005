import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseCuts, chooseTail, isFarBehind, smallestSplitBytes } from './splitting.ts'

const MiB = 1024 * 1024

/** One free connection of this speed that stands at once. */
const one = (bytesPerSecond: number) => ({ count: 1, bytesPerSecond, setUpSeconds: 0 })

describe('splitting', () => {
  it('cuts into the lane that would end last by time, not by size', () => {
    const slow = { next: 0, end: 8 * MiB, bytesPerSecond: MiB }
    const fast = { next: 100 * MiB, end: 120 * MiB, bytesPerSecond: 10 * MiB }
    expect(chooseCuts([fast, slow], one(5 * MiB))[0]?.lane).toBe(slow)
  })

  it('cuts in proportion to the speeds', () => {
    const lane = { next: 0, end: 100 * MiB, bytesPerSecond: MiB }
    expect(chooseCuts([lane], one(3 * MiB))).toEqual([{ lane, start: 25 * MiB, end: 100 * MiB }])
    expect(chooseCuts([lane], one(MiB))).toEqual([{ lane, start: 50 * MiB, end: 100 * MiB }])
  })

  it('counts in the time that a connection takes to stand', () => {
    const lane = { next: 0, end: 100 * MiB, bytesPerSecond: MiB }
    expect(chooseCuts([lane], { ...one(MiB), setUpSeconds: 10 })[0]?.start).toBe(55 * MiB)
  })

  it('divides a round evenly, so that all are through together', () => {
    const lane = (index: number) => ({
      next: index * 80 * MiB,
      end: (index + 1) * 80 * MiB,
      bytesPerSecond: 4 * MiB,
    })
    const cuts = chooseCuts([lane(0), lane(1), lane(2)], { ...one(4 * MiB), count: 9 })
    expect(cuts.map(({ start, end }) => (end - start) / MiB)).toEqual(Array(9).fill(20))
    expect(cuts.map(({ start }) => start / MiB).sort((a, b) => a - b)).toEqual([
      20, 40, 60, 100, 120, 140, 180, 200, 220,
    ])
  })

  it('leaves pieces for those that are free in a moment', () => {
    const long = { next: 0, end: 9 * MiB, bytesPerSecond: 4 * MiB }
    const soon = { next: 20 * MiB, end: 20.1 * MiB, bytesPerSecond: 4 * MiB }
    expect(chooseCuts([long, soon], one(4 * MiB))).toEqual([{ lane: long, start: 6 * MiB, end: 9 * MiB }])
  })

  it('never makes a piece below 1 MiB, nor one outside its lane, nor two of the same bytes', () => {
    const lane = fc.record({ from: fc.nat(1e9), length: fc.nat(1e9), bytesPerSecond: fc.nat(1e9) })
    const free = fc.record({
      count: fc.integer({ min: 1, max: 16 }),
      bytesPerSecond: fc.nat(1e9),
      setUpSeconds: fc.double({ min: 0, max: 30, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(lane, { maxLength: 5 }), free, (specs, connections) => {
        const lanes = specs.map(({ from, length, bytesPerSecond }, index) => ({
          next: index * 2e9 + from,
          end: index * 2e9 + from + length,
          bytesPerSecond,
        }))
        const cuts = chooseCuts(lanes, connections)
        expect(cuts.length).toBeLessThanOrEqual(connections.count)
        for (const cut of cuts) {
          expect(cut.start).toBeGreaterThan(cut.lane.next)
          expect(cut.end - cut.start).toBeGreaterThanOrEqual(smallestSplitBytes)
          const neighbour = cuts.find((other) => other.start === cut.end)
          expect(neighbour === undefined ? cut.lane.end : neighbour.start).toBe(cut.end)
        }
      }),
    )
  })

  it('does not cut what is too small, nor where little would be won', () => {
    expect(chooseCuts([{ next: 0, end: MiB, bytesPerSecond: 1 }], one(MiB))).toEqual([])
    expect(chooseCuts([], one(MiB))).toEqual([])
    const lane = { next: 0, end: 1.3 * MiB, bytesPerSecond: 4 * MiB }
    expect(chooseCuts([lane], { ...one(4 * MiB), setUpSeconds: 0.05 })).toEqual([])
  })

  it('asks again for the tail only where that is twice as fast', () => {
    const free = one(4_000_000)
    const slow = { next: 0, end: 900_000, bytesPerSecond: 100_000 }
    const fair = { next: 0, end: 900_000, bytesPerSecond: 4_000_000 }
    expect(chooseTail([fair, slow], free)).toBe(slow)
    expect(chooseTail([fair], free)).toBeNull()
    expect(chooseTail([{ ...slow, next: 900_000 }], free)).toBeNull()
  })

  it('gives up a lane that is far below the others and has a good while to go', () => {
    const lane = { next: 0, end: 10 * MiB, bytesPerSecond: MiB }
    expect(isFarBehind(lane, 6 * MiB)).toBe(true)
    expect(isFarBehind(lane, 4 * MiB)).toBe(false)
    expect(isFarBehind({ ...lane, end: MiB / 2 }, 6 * MiB)).toBe(false)
  })
})
