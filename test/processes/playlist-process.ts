/** The app's worker with a resolver that knows lists: `/list/N` has the entries `/entry/1` to `/entry/N`. */
import type { Plan } from '../../src/shared/task/model.ts'
import type { Executors } from '../../src/worker/attempt.ts'
import { openChannel } from '../../src/worker/channel.ts'
import { createResolveStep } from '../../src/worker/resolve/direct.ts'
import { createEngine } from '../../src/worker/transfer/engine.ts'
import { createFetchStep } from '../../src/worker/transfer/fetch-step.ts'
import { serveHost } from '../../src/worker/worker-process.ts'

function listOf(url: string): Plan | null {
  const count = Number(/\/list\/(\d+)$/.exec(url)?.[1] ?? 0)
  if (count === 0) return null
  const files = Array.from({ length: count }, (_, index) => ({
    name: `entry ${index + 1}`,
    size: null,
    selected: true,
    steps: [
      {
        ...{ kind: 'resolve' as const, stage: 0, optional: false, label: '', weight: 1, size: null },
        input: { kind: 'resolve' as const, link: new URL(`/entry/${index + 1}`, url).href },
      },
    ],
  }))
  return { title: 'a list', service: 'test', files }
}

const engine = createEngine()
const resolveEntry = createResolveStep(engine)
const executors: Executors = {
  resolve: (order, checkpoint, context) => {
    const { link } = order.parameters
    const plan = link.kind === 'single' ? listOf(link.url) : null
    if (plan === null) return resolveEntry(order, checkpoint, context)
    return Promise.resolve({ kind: 'completed', result: { kind: 'plan', plan } })
  },
  fetch: createFetchStep(engine),
  mux: () => Promise.reject(new Error('nothing is joined here')),
}
serveHost(openChannel(), () => ({ executors, close: () => engine.closeAttempt() }))
