import type { NetworkRules } from '../../shared/worker-protocol.ts'
import type { Engine } from './engine.ts'

/** Takes over what the host says of the network, for this step and those after it. */
export async function followNetworkRules(engine: Engine, rules: NetworkRules | undefined): Promise<void> {
  engine.ownPort = rules?.ownPort ?? null
  await engine.authorities.follow(rules?.certificateFile ?? '')
}
