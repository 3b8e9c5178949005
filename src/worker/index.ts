/** The worker process: line to the host, one engine, and for each attempt one executor for each kind of order. */
import { openChannel } from './channel.ts'
import { hostNews } from './host-news.ts'
import { createResolveStep } from './resolve/direct.ts'
import type { StepExecutor } from './step-executor.ts'
import { traceErrors } from './trace-errors.ts'
import { prepareTls } from './transfer/connect.ts'
import { createEngine, engineForAttempt } from './transfer/engine.ts'
import { createFetchStep } from './transfer/fetch-step.ts'
import { serveHost } from './worker-process.ts'

// Ctrl+C, a closed terminal and a service manager's stop reach every process of the group; what they mean is decided
// by the host, and a worker whose host is gone goes by itself
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => null)

if (process.argv.includes('--trace-errors')) traceErrors()

// Read when the first file is opened. With Node's four threads four syncs would wait at a time, and behind them whatever
// else has to do with files; a file system takes as many as come together in one go.
process.env['UV_THREADPOOL_SIZE'] ??= '16'

const shared = createEngine()
// most attempts join nothing: the media library is loaded by the first that does
const mux = async (...given: Parameters<StepExecutor<'mux'>>) =>
  (await import('./media/mux-step.ts')).createMuxStep()(...given)

serveHost(
  openChannel(),
  () => {
    const engine = engineForAttempt(shared)
    const executors = { resolve: createResolveStep(engine), fetch: createFetchStep(engine), mux }
    return { executors, close: () => engine.closeAttempt() }
  },
  hostNews(shared.hostLimits),
)
if (process.argv.includes('--prepare-tls')) prepareTls()
