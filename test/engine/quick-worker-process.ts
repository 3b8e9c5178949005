/** The worker process with another time between checkpoints: a life of half a second has to have a few. */
import type { Executors } from '../../src/worker/attempt.ts'
import { openChannel } from '../../src/worker/channel.ts'
import { createResolveStep } from '../../src/worker/resolve/direct.ts'
import { createEngine } from '../../src/worker/transfer/engine.ts'
import { createFetchStep } from '../../src/worker/transfer/fetch-step.ts'
import { serveHost } from '../../src/worker/worker-process.ts'

const engine = createEngine({ timings: { checkpointMs: Number(process.argv[2]) }, environment: {} })
const executors: Executors = {
  resolve: createResolveStep(engine),
  fetch: createFetchStep(engine),
  mux: () => Promise.reject(new Error('nothing is joined here')),
}
serveHost(openChannel(), () => ({ executors, close: () => engine.closeAttempt() }))
