/** The worker process with short times between checkpoints, so that a life of half a second has a few. */
import { openChannel } from '../../src/worker/channel.ts'
import { createResolveStep } from '../../src/worker/resolve/direct.ts'
import { createEngine } from '../../src/worker/transfer/engine.ts'
import { createFetchStep } from '../../src/worker/transfer/fetch-step.ts'
import { serveHost } from '../../src/worker/worker-process.ts'

const engine = createEngine({ timings: { checkpointMs: 50 }, environment: {} })
serveHost(openChannel(), {
  resolve: createResolveStep(engine),
  fetch: createFetchStep(engine),
  mux: () => Promise.reject(new Error('nothing is joined here')),
})
