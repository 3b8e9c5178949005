/** The `fetch` executor: carries out one download order. */
import { SluiceError } from '../../shared/errors.ts'
import type { StepExecutor } from '../step-executor.ts'
import { Download } from './download.ts'
import type { Engine } from './engine.ts'
import { followNetworkRules } from './network-rules.ts'

/** Downloads of one worker share an engine. */
export function createFetchStep(engine: Engine): StepExecutor<'fetch'> {
  return async (order, checkpoint, context) => {
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
