import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addRange, clipRanges, coversRange, missingRanges, totalBytes } from './range-set.ts'
import type { RangeSet } from './range-set.ts'

const pairs = fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 20 })
const build = (list: [number, number][]) =>
  list.reduce<RangeSet>((set, [start, length]) => addRange(set, start, start + length), [])
const has = (set: RangeSet, byte: number) => set.some(([from, to]) => from <= byte && byte < to)

describe('sets of ranges', () => {
  it('hold exactly the bytes that were added, ascending and never touching', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const set = build(list)
        for (let byte = 0; byte < 90; byte++) {
          expect(has(set, byte)).toBe(list.some(([start, length]) => start <= byte && byte < start + length))
        }
        for (let i = 0; i < set.length; i++) {
          const [from, to] = set[i] ?? [0, 0]
          expect(from).toBeLessThan(to)
          expect(from).toBeGreaterThan(set[i - 1]?.[1] ?? -1)
        }
      }),
    )
  })

  it('are whole together with what they miss', () => {
    fc.assert(
      fc.property(pairs, fc.nat(80), (list, end) => {
        const set = clipRanges(build(list), end)
        const missing = missingRanges(set, 0, end)
        expect(totalBytes(set) + totalBytes(missing)).toBe(end)
        for (const [from, to] of missing) expect(coversRange(set, from, to)).toBe(false)
        expect(coversRange(set, 0, end)).toBe(missing.length === 0)
      }),
    )
  })
})
