/**
 * The task system against its invariants: random operations, workers, faults and crashes, then everything is left in
 * peace and must come to rest. In every third life the calls of ports get their turns in a drawn order.
 * SLUICE_MODEL_RUNS sets how many lives there are, SLUICE_MODEL_SEED repeats them; the seed is printed.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { everything } from './commands.ts'
import type { Model } from './commands.ts'
import { checks, invariants } from './invariants.ts'
import { ModelWorld } from './model-world.ts'
import { comesToRest } from './rest.ts'

const runs = Number(process.env['SLUICE_MODEL_RUNS'] ?? 200)
const given = process.env['SLUICE_MODEL_SEED']
const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)

const order = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.nat({ max: 2 ** 31 - 1 }) },
)

describe('random lives of the task system', () => {
  test(`the invariants hold in ${runs} of them`, { timeout: 60_000 + runs * 1000 }, async () => {
    console.info(`${runs} lives from seed ${seed}`)
    let lives = 0
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.commands<Model, ModelWorld, false>(everything, { maxCommands: 120, size: 'max' }),
        async (turns, commands) => {
          const world = new ModelWorld({ maxConcurrentTasks: 3 }, turns)
          await world.start()
          await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
          await comesToRest(world)
          lives++
        },
      ),
      { numRuns: runs, seed },
    )
    expect(lives).toBeGreaterThanOrEqual(runs)
  })

  test.each([...invariants])('invariant %i: %s', (number) => {
    // it held wherever it was looked at, or the lives would have ended above; and it was looked at
    expect(checks.get(number) ?? 0).toBeGreaterThan(0)
  })
})
