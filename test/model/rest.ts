/** The end of every sequence: nothing goes wrong any more, and everything must come to rest. */
import { isTerminal, taskState } from '../../src/shared/task/derive.ts'
import { must } from './invariants.ts'
import type { ModelWorld } from './model-world.ts'

/** Invariants 27 and 28: honest workers and time are all it takes. */
export async function comesToRest(world: ModelWorld): Promise<void> {
  await world.heal()
  for (let round = 0; round < 800; round++) {
    const open = world.tasks().filter((task) => {
      const state = taskState(task)
      return state === 'WAITING' || state === 'RUNNING' || task.attempt !== null || task.request !== null
    })
    if (open.length === 0) break
    for (const { worker, order } of world.orders()) {
      if (!worker.alive || !worker.orders.has(order.stepId)) continue
      world.workers.finish(worker, order)
      await world.settle()
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
