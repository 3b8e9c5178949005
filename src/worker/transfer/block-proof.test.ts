import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proofBlocks } from './block-proof.ts'
import type { RangeSet } from './range-set.ts'
import { addRange, coversRange, totalBytes } from './range-set.ts'

const KiB = 1024

describe('the blocks that prove a file', () => {
  it('are the first, the last and one between of what is held', () => {
    expect(proofBlocks([[0, 8000 * KiB]], 0.5)).toEqual([
      [0, 64 * KiB],
      [4000 * KiB, 4064 * KiB],
      [7936 * KiB, 8000 * KiB],
    ])
  })

  it('lie in different ranges where there are several, each within its own', () => {
    const held: RangeSet = [
      [100 * KiB, 300 * KiB],
      [500 * KiB, 510 * KiB],
      [900 * KiB, 1000 * KiB],
    ]
    // the middle one is as short as what is held there
    expect(proofBlocks(held, 205 / 310)).toEqual([
      [100 * KiB, 164 * KiB],
      [500 * KiB, 510 * KiB],
      [936 * KiB, 1000 * KiB],
    ])
  })

  it('are one where little is held, and none where nothing is', () => {
    expect(proofBlocks([[0, 70 * KiB]], 0.3)).toEqual([[0, 70 * KiB]])
    expect(proofBlocks([[5, 6]], 0)).toEqual([[5, 6]])
    expect(proofBlocks([], 0.9)).toEqual([])
  })

  it('are always within what is held, at least as much as is held or one block, three blocks at most', () => {
    const ranges = fc
      .array(fc.tuple(fc.nat(3_000_000), fc.integer({ min: 1, max: 400_000 })), { maxLength: 6 })
      .map((pieces) => pieces.reduce<RangeSet>((set, [at, length]) => addRange(set, at, at + length), []))
    fc.assert(
      fc.property(ranges, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (held, chance) => {
        const blocks = proofBlocks(held, chance)
        for (const [start, end] of blocks) expect(coversRange(held, start, end)).toBe(true)
        expect(totalBytes(blocks)).toBeLessThanOrEqual(3 * 64 * KiB)
        const [first] = held
        expect(blocks[0]?.[0]).toBe(first?.[0])
        expect(blocks.at(-1)?.[1]).toBe(held.at(-1)?.[1])
      }),
    )
  })
})
