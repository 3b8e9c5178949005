/** The `fetch` executor: carries out one download order. */
import { SluiceError } from '../../shared/errors.ts'
import type { StepOutcome } from '../../shared/worker-protocol.ts'
import { publishFile } from '../files/publish.ts'
import type { StepContext, StepExecutor } from '../step-executor.ts'
import { Download } from './download.ts'
import type { Engine } from './engine.ts'
import type { FetchOrder } from './fetch-order.ts'
import { followNetworkRules } from './network-rules.ts'
import { Trouble } from './trouble.ts'

/** Downloads of one worker share an engine. */
export function createFetchStep(engine: Engine): StepExecutor<'fetch'> {
  return async (order, checkpoint, context) => {
    const named = await nameArrived(engine, order, context)
    if (named !== null) return named
    await followNetworkRules(engine, order.network)
    try {
      return await new Download(engine, order, context).run(checkpoint)
    } catch (thrown) {
      // A link or header that cannot be sent was let in by nobody's fault but the order's.
      if (thrown instanceof SluiceError && thrown.code !== 'INTERNAL') {
        return { kind: 'failed', error: thrown.toRecord() }
      }
      throw thrown
    }
  }
}

/**
 * What came with the plan only gets its name: its completion has won already, so no stop is heeded. Null where nothing
 * came, or what came cannot be named: a download from its beginning finds out why.
 */
async function nameArrived(
  engine: Engine,
  { leave, source }: FetchOrder,
  context: StepContext,
): Promise<StepOutcome | null> {
  if (leave === undefined) return null
  try {
    const published = await publishFile(leave.from, context, {
      url: source.facts?.finalUrl ?? source.url,
      pace: engine.writePace,
      leave: leave.to,
    })
    if (published.kind === 'refused') return { kind: 'paused', checkpoint: null, cause: null }
    return { kind: 'completed', result: published.result }
  } catch (thrown) {
    if (thrown instanceof Trouble) return null
    throw thrown
  }
}
