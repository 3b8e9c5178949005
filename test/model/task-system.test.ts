/**
 * The task system against its invariants: random operations, workers, faults and crashes, then everything is
 * left in peace and must come to rest. SLUICE_MODEL_RUNS sets how many sequences run, SLUICE_MODEL_SEED repeats
 * one.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import { settled } from '../fakes/fake-clock.ts'
import { everything } from './commands.ts'
import { must } from './invariants.ts'
import type { Model } from './commands.ts'
import { ModelWorld } from './model-world.ts'

const runs = Number(process.env['SLUICE_MODEL_RUNS'] ?? 200)
const seed = process.env['SLUICE_MODEL_SEED']

/** Invariants 27 and 28: honest workers and time are all it takes. */
async function comesToRest(world: ModelWorld): Promise<void> {
  world.heal()
  for (let round = 0; round < 800; round++) {
    const open = world.tasks().filter((task) => {
      const state = taskState(task)
      return state === 'WAITING' || state === 'RUNNING' || task.attempt !== null || task.request !== null
    })
    if (open.length === 0) break
    for (const { worker, order } of world.orders()) {
      if (!worker.alive || !worker.orders.has(order.stepId)) continue
      world.workers.finish(worker, order)
      await settled()
    }
    await world.core.clock.advance(2000)
  }
  await world.check()
  for (const task of world.tasks()) {
    const state = taskState(task)
    must(28, isTerminal(state) || state === 'PAUSED', `${task.id} is ${state} for ever`)
    must(28, task.request === null, `${task.id} still waits for ${task.request?.kind ?? ''}`)
  }
  must(5, world.core.pool.alive.length === 0, 'a worker works for nobody')
}

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
