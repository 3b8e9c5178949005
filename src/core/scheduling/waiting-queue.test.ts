import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ranks, ranksBetween } from './ranks.ts'
import { WaitingQueue } from './waiting-queue.ts'

describe('the waiting queue', () => {
  test('is in the order of ranks after any changes', () => {
    const change = fc.tuple(
      fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      fc.option(fc.integer({ min: -5, max: 5 })),
    )
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const queue = new WaitingQueue()
        const model = new Map<string, number>()
        for (const [id, rank] of changes) {
          queue.place(id, rank)
          if (rank === null) model.delete(id)
          else model.set(id, rank)
        }
        const expected = [...model].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)).map(([id]) => id)
        expect([...queue.ids()]).toEqual(expected)
        expect(queue.size).toBe(model.size)
        expected.forEach((id, index) => {
          expect(queue.position(id)).toBe(index + 1)
          expect(queue.rankOf(id)).toBe(model.get(id))
        })
        expect(queue.position('nobody')).toBeNull()
      }),
    )
  })
})

describe('ranks', () => {
  test('are never handed out twice, and always beyond those that were seen', () => {
    const ranks = new Ranks()
    ranks.seen(10)
    ranks.seen(-3.5)
    expect([ranks.tail(), ranks.tail()]).toEqual([11, 12])
    expect([ranks.head(), ranks.head()]).toEqual([-5, -6])
  })

  test('between neighbours are ascending and within them', () => {
    const bound = fc.option(fc.integer({ min: -1000, max: 1000 }))
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 1, max: 20 }), (a, b, count) => {
        const [before, after] = a !== null && b !== null && a > b ? [b, a] : [a, b]
        if (before !== null && before === after) return
        const ranks = ranksBetween(before, after, count)
        if (ranks === null) throw new Error('whole numbers leave room')
        expect(ranks).toHaveLength(count)
        const all = [before ?? -Infinity, ...ranks, after ?? Infinity]
        expect(all.every((rank, index) => index === 0 || rank > (all[index - 1] ?? Infinity))).toBe(true)
      }),
    )
  })

  test('say when there is no room left between two', () => {
    expect(ranksBetween(1, 1 + 1e-12, 3)).toBeNull()
  })
})
