/**
 * The task system against its invariants: random operations, workers, faults and crashes, then everything is
 * left in peace and must come to rest. SLUICE_MODEL_RUNS sets how many sequences run, SLUICE_MODEL_SEED repeats
 * one.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everything } from './commands.ts'
import type { Model } from './commands.ts'
import { ModelWorld } from './model-world.ts'
import { comesToRest } from './rest.ts'

const runs = Number(process.env['SLUICE_MODEL_RUNS'] ?? 200)
const seed = process.env['SLUICE_MODEL_SEED']

test(`the invariants hold over ${runs} random lives`, { timeout: 20_000 + runs * 500 }, async () => {
  let lives = 0
  await fc.assert(
    fc.asyncProperty(
      fc.commands<Model, ModelWorld, false>(everything, { maxCommands: 120, size: 'max' }),
      async (commands) => {
        const world = new ModelWorld({ maxConcurrentTasks: 3 })
        await world.start()
        await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
        await comesToRest(world)
        lives++
      },
    ),
    { numRuns: runs, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
  expect(lives).toBeGreaterThanOrEqual(runs)
})
