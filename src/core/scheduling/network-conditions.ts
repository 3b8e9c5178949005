/**
 * Offline and silent hosts. A task whose budget is used up makes its host suspect: one connection tells whether
 * the host is the trouble. Two silent hosts with nothing flowing are taken as "offline", with one prober.
 */
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { taskState } from '../../shared/task/derive.ts'
import type { Task } from '../../shared/task/model.ts'
import type { NetworkProbe } from '../ports.ts'
import type { Written } from '../service/task-writer.ts'
import type { HeldConditions } from './held-conditions.ts'
import type { HostAddress } from './host-address.ts'
import { hostAddress } from './host-address.ts'

const offlineKey = 'offline'

export interface NetworkConditionParts {
  readonly held: HeldConditions
  readonly network: NetworkProbe
  /** whether any attempt receives bytes now */
  isFlowing(): boolean
  /** these hosts answer again: tasks that paused because of them return to the head */
  onAnswers(hosts: ReadonlySet<string>): void
  onFault(error: unknown): void
}

function hostKey(host: string): string {
  return `host ${host}`
}

export class NetworkConditions {
  readonly #parts: NetworkConditionParts
  readonly #silent = new Map<string, HostAddress>()
  readonly #asking = new Set<string>()
  #next = 0

  constructor(parts: NetworkConditionParts) {
    this.#parts = parts
  }

  blockOf(task: Task): ErrorRecord | null {
    return this.#parts.held.get(offlineKey) ?? this.#parts.held.get(hostKey(hostAddress(task).key))
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after === null || before === null || taskState(before) === 'PAUSED') continue
      if (isSuspicious(after)) void this.#suspect(hostAddress(after))
    }
  }

  async #suspect(address: HostAddress): Promise<void> {
    const { held, network } = this.#parts
    if (this.#asking.has(address.key) || this.#silent.has(address.key)) return
    this.#asking.add(address.key)
    try {
      const answer =
        held.get(offlineKey) !== null ? 'silent' : await network.probe(address.host, address.port)
      if (answer === 'answers') return
      this.#silent.set(address.key, address)
      if (held.get(offlineKey) !== null) return
      if (answer === 'offline' || (this.#silent.size > 1 && !this.#parts.isFlowing())) this.#holdOffline()
      else this.#holdHost(address)
    } catch (thrown) {
      this.#parts.onFault(thrown)
    } finally {
      this.#asking.delete(address.key)
    }
  }

  #holdHost(address: HostAddress): void {
    const { held, network } = this.#parts
    held.hold({
      key: hostKey(address.key),
      error: new SluiceError('NETWORK_ERROR', 'The host does not answer', {
        hint: 'It is asked again from time to time; the downloads go on when it answers.',
        details: { host: address.key },
      }).toRecord(),
      probe: async () => (await network.probe(address.host, address.port)) === 'answers',
      onEnd: () => this.#answers(address.key),
    })
  }

  #holdOffline(): void {
    const { held } = this.#parts
    for (const key of this.#silent.keys()) held.drop(hostKey(key))
    held.hold({
      key: offlineKey,
      error: new SluiceError('NETWORK_ERROR', 'There is no connection to the internet', {
        hint: 'The downloads go on when it is back.',
      }).toRecord(),
      probe: () => this.#probeOne(),
      onEnd: () => undefined,
    })
  }

  /** One connection per probe, to each of the silent hosts in turn; the first answer ends "offline". */
  async #probeOne(): Promise<boolean> {
    const hosts = [...this.#silent.values()]
    const address = hosts[this.#next++ % Math.max(1, hosts.length)]
    if (address === undefined) return true
    const answer = await this.#parts.network.probe(address.host, address.port)
    if (answer !== 'answers') return false
    // Told once the condition has gone: what follows looks at who is held back.
    void Promise.resolve().then(() => {
      this.#answers(address.key)
      for (const other of this.#silent.values()) this.#holdHost(other)
    })
    return true
  }

  #answers(key: string): void {
    this.#silent.delete(key)
    this.#parts.onAnswers(new Set([key]))
  }
}

/** Paused with a used-up budget by something that a dead host or network would cause. */
function isSuspicious(task: Task): boolean {
  if (taskState(task) !== 'PAUSED' || task.pause?.kind !== 'network') return false
  const { code } = task.pause.error
  const unreachable = code === 'NETWORK_ERROR' || code === 'TIMEOUT' || code === 'HOST_NOT_FOUND'
  return task.pause.resumeTo === 'tail' && unreachable
}
