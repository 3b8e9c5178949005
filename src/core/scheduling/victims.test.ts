import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Running } from './victims.ts'
import { victims } from './victims.ts'

function running(id: string, token: number, overrides: Partial<Running> = {}): Running {
  return { id, token, preemptible: true, stopping: false, overLimit: false, ...overrides }
}

describe('victims of a lowered limit', () => {
  test('are the most recently started', () => {
    expect(victims([running('a', 1), running('c', 3), running('b', 2)], 1)).toEqual(['c', 'b'])
  })

  test('skip those that must not be stopped, and go on with an older one', () => {
    const tasks = [running('a', 1), running('b', 2), running('mux', 3, { preemptible: false })]
    expect(victims(tasks, 1)).toEqual(['b', 'a'])
  })

  test('count those that are stopping already', () => {
    const tasks = [running('a', 1), running('b', 2, { stopping: true }), running('c', 3)]
    expect(victims(tasks, 2)).toEqual([])
    expect(victims(tasks, 1)).toEqual(['c'])
  })

  test('are never tasks that were started over the limit', () => {
    expect(victims([running('a', 1), running('b', 2, { overLimit: true })], 1)).toEqual([])
  })

  test('invariant 5: when more than the limit go on, none of them could be stopped', () => {
    const task = fc.record({
      preemptible: fc.boolean(),
      stopping: fc.boolean(),
      overLimit: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(task, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (flags, limit) => {
        const tasks = flags.map((flag, index) => running(`t${index}`, index, flag))
        const chosen = new Set(victims(tasks, limit))
        const going = tasks.filter((held) => !held.stopping && !held.overLimit && !chosen.has(held.id))
        expect(going.length <= limit || going.every((held) => !held.preemptible)).toBe(true)
        // Nobody is stopped in vain.
        const before = tasks.filter((held) => !held.stopping && !held.overLimit).length
        expect(chosen.size).toBeLessThanOrEqual(Math.max(0, before - limit))
      }),
    )
  })
})
