import { describe, expect, it } from 'vitest'
import { backOffMs, decideRetry } from './retry-policy.ts'

describe('retries', () => {
  it('wait half a second, doubling to thirty, half of it by chance', () => {
    expect([1, 2, 3, 7, 50].map((failures) => backOffMs(failures, 1))).toEqual([
      500, 1000, 2000, 30_000, 30_000,
    ])
    expect(backOffMs(1, 0)).toBe(250)
  })

  it.each([
    ['waits in its slot', { failures: 1, retryAfterMs: null }, { kind: 'wait', ms: 500 }],
    ['obeys the host', { failures: 1, retryAfterMs: 3000 }, { kind: 'wait', ms: 3000 }],
    ['is never quicker than the back-off', { failures: 3, retryAfterMs: 10 }, { kind: 'wait', ms: 2000 }],
    [
      'leaves for a long wait',
      { failures: 1, retryAfterMs: 60_000 },
      { kind: 'leave', retryAfterMs: 60_000 },
    ],
    [
      'leaves for a long back-off',
      { failures: 7, retryAfterMs: null },
      { kind: 'leave', retryAfterMs: 30_000 },
    ],
    [
      'leaves when the budget is used up',
      { failures: 11, retryAfterMs: null },
      { kind: 'leave', retryAfterMs: null },
    ],
    [
      'obeys the host then too',
      { failures: 11, retryAfterMs: 20_000 },
      { kind: 'leave', retryAfterMs: 20_000 },
    ],
  ])('%s', (_, facts, decision) => {
    expect(decideRetry({ ...facts, budget: 10, chance: 1 })).toEqual(decision)
  })
})
