/** The worker process: line to the host, one engine, one executor for each kind of order. */
import { openChannel } from './channel.ts'
import { createMuxStep } from './media/mux-step.ts'
import { createResolveStep } from './resolve/direct.ts'
import { createEngine } from './transfer/engine.ts'
import { createFetchStep } from './transfer/fetch-step.ts'
import { serveHost } from './worker-process.ts'

// Ctrl+C reaches the whole foreground group; what it means is decided by the host
process.on('SIGINT', () => null)

const engine = createEngine()
serveHost(openChannel(), {
  resolve: createResolveStep(engine),
  fetch: createFetchStep(engine),
  mux: createMuxStep(),
})
