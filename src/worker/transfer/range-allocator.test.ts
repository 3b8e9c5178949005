import fc from 'fast-check'
import { expect, it } from 'vitest'
import { RangeAllocator } from './range-allocator.ts'
import type { Piece } from './range-allocator.ts'
import type { RangeSet } from './range-set.ts'
import { addRange, missingRanges, totalBytes } from './range-set.ts'

const MiB = 1024 * 1024

/** A lane that has come as far as is said, and has written as much. */
function lane({ start, end, isDuplicate }: Piece, next = start, bytesPerSecond = MiB) {
  return {
    start,
    end,
    isDuplicate,
    bytesPerSecond,
    next,
    delivered: next,
    flows: next > start,
    cut(to: number) {
      this.end = to
    },
  }
}
const piece = (start: number, end: number, isDuplicate = false): Piece => ({ start, end, isDuplicate })

it('gives what no lane works on in order, no more at once than one request may ask for', () => {
  const allocator = new RangeAllocator(10)
  allocator.leave(40, 45, [])
  allocator.leave(0, 30, [[5, 15]])
  const pieces = Array.from({ length: 5 }, () => allocator.take())
  expect(pieces).toEqual([piece(0, 5), piece(15, 25), piece(25, 30), piece(40, 45), null])
})

it('takes from lanes what it cuts off them', () => {
  const slow = lane(piece(0, 100 * MiB), 20 * MiB)
  const allocator = new RangeAllocator(Number.POSITIVE_INFINITY)
  const pieces = allocator.takeFrom([slow], 3)
  expect(pieces).toHaveLength(3)
  expect(slow.end).toBeGreaterThan(20 * MiB)
  expect(Math.min(...pieces.map(({ start }) => start))).toBe(slow.end)
  expect(pieces.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(100 * MiB - slow.end)
})

it('asks once more for a slow tail that is too small to cut, and only once', () => {
  const tail = lane(piece(0, MiB), MiB / 2, MiB / 10)
  const allocator = new RangeAllocator(Number.POSITIVE_INFINITY)
  allocator.sawSpeed(10 * MiB)
  const pieces = allocator.takeFrom([tail], 2)
  expect(pieces).toEqual([piece(MiB / 2, MiB, true)])
  expect(tail.end).toBe(MiB)
  expect(allocator.takeFrom([tail, ...pieces.map((given) => lane(given))], 2)).toEqual([])
})

it('has every missing byte in one place at a time, whatever lanes begin, get done and break', () => {
  const length = 64 * MiB
  const event = fc.oneof(
    fc.record({ kind: fc.constant('take' as const) }),
    fc.record({ kind: fc.constant('help' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('write' as const), lane: fc.nat(20), bytes: fc.nat(8 * MiB) }),
    fc.record({ kind: fc.constant('break' as const), lane: fc.nat(20) }),
  )
  const piecesAtFirst = fc.array(fc.tuple(fc.nat(length), fc.nat(length)), { maxLength: 4 })
  fc.assert(
    fc.property(piecesAtFirst, fc.array(event, { maxLength: 60 }), (held, events) => {
      let written: RangeSet = held.reduce<RangeSet>((set, [from, to]) => addRange(set, from, to), [])
      let lanes: ReturnType<typeof lane>[] = []
      const allocator = new RangeAllocator(16 * MiB)
      allocator.leave(0, length, written)
      const start = (given: Piece | null) => {
        if (given !== null) lanes.push(lane(given))
      }
      for (const happens of events) {
        if (happens.kind === 'take') start(allocator.take())
        else if (happens.kind === 'help') allocator.takeFrom(lanes, happens.count).forEach(start)
        else {
          const chosen = lanes[happens.lane % Math.max(1, lanes.length)]
          if (chosen === undefined) continue
          if (happens.kind === 'write') {
            const to = Math.min(chosen.end, chosen.next + happens.bytes)
            written = addRange(written, chosen.next, to)
            Object.assign(chosen, { next: to, delivered: to, flows: true })
          } else {
            lanes = lanes.filter((other) => other !== chosen)
            if (!chosen.isDuplicate) allocator.leave(chosen.delivered, chosen.end, written)
          }
        }
      }
      for (let given = allocator.take(); given !== null; given = allocator.take()) start(given)
      const owned = lanes
        .filter(({ isDuplicate }) => !isDuplicate)
        .map(({ next, end }) => [next, end] as const)
      const all = owned.reduce<RangeSet>((set, [from, to]) => addRange(set, from, to), [])
      expect(totalBytes(all)).toBe(owned.reduce((sum, [from, to]) => sum + to - from, 0))
      const missing = missingRanges(written, 0, length)
      for (const [from, to] of missing) expect(missingRanges(all, from, to)).toEqual([])
    }),
  )
})
