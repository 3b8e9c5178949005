import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bandwidthShares, connectionShare } from './shares.ts'

describe('connections of a host', () => {
  test('are shared equally, at least one each, never more than wanted', () => {
    expect(connectionShare(16, 8, 1)).toBe(8)
    expect(connectionShare(16, 8, 4)).toBe(4)
    expect(connectionShare(16, 8, 40)).toBe(1)
  })
})

describe('the global speed limit', () => {
  test('without one only the own limits count', () => {
    const shares = bandwidthShares(0, [
      { id: 'a', ownLimit: 5, measured: 0 },
      { id: 'b', ownLimit: null, measured: 0 },
    ])
    expect([...shares]).toEqual([
      ['a', 5],
      ['b', null],
    ])
  })

  test('what one does not use goes to the other', () => {
    const shares = bandwidthShares(1000, [
      { id: 'slow', ownLimit: null, measured: 100 },
      { id: 'fast', ownLimit: null, measured: 900 },
    ])
    expect(shares.get('slow')).toBe(125)
    expect(shares.get('fast')).toBe(875)
  })

  test('is all for the only one, also before that one has shown what it can use', () => {
    expect(bandwidthShares(1000, [{ id: 'a', ownLimit: null, measured: 0 }]).get('a')).toBe(1000)
    expect(bandwidthShares(1000, [{ id: 'a', ownLimit: 300, measured: 10 }]).get('a')).toBe(300)
  })

  test('is never exceeded by the sum, and nobody starves', () => {
    const demand = fc.record({
      ownLimit: fc.option(fc.integer({ min: 1, max: 5000 })),
      measured: fc.integer({ min: 0, max: 10_000 }),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 10_000 }),
        fc.array(demand, { minLength: 1, maxLength: 20 }),
        (limit, list) => {
          const demands = list.map((entry, index) => ({ id: `t${index}`, ...entry }))
          const shares = [...bandwidthShares(limit, demands).values()]
          const sum = shares.reduce<number>((total, share) => total + (share ?? Infinity), 0)
          expect(sum).toBeLessThanOrEqual(limit * 1.000_001)
          expect(shares.every((share) => share !== null && share > 0)).toBe(true)
        },
      ),
    )
  })
})
