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

interface Suspect {
  readonly address: HostAddress
  /** it did not answer although the machine has a network */
  readonly byItself: boolean
}

export interface NetworkConditionParts {
  readonly held: HeldConditions
  readonly network: NetworkProbe
  /** whether any attempt receives bytes now */
  isFlowing(): boolean
  /** these hosts answer again: tasks that paused because of them return to the head */
  onAnswers(hosts: ReadonlySet<string>): Promise<void>
  /** a host that was asked has answered, or has not: its tasks may be looked at again */
  onAsked(): void
  onFault(error: unknown): void
}

function hostKey(host: string): string {
  return `host ${host}`
}

export class NetworkConditions {
  readonly #parts: NetworkConditionParts
  readonly #silent = new Map<string, Suspect>()
  readonly #asking = new Set<string>()
  #next = 0
  /** the host whose answer ended "offline" */
  #answered: string | null = null

  constructor(parts: NetworkConditionParts) {
    this.#parts = parts
  }

  blockOf(task: Task): ErrorRecord | null {
    return this.#parts.held.get(offlineKey) ?? this.#parts.held.get(hostKey(hostAddress(task).key))
  }

  /** Its host is being asked whether it is the trouble: until that is known none of its tasks starts. */
  isAsking(task: Task): boolean {
    return this.#asking.has(hostAddress(task).key)
  }

  take(written: readonly Written[]): void {
    for (const { before, after } of written) {
      if (after === null || before === null || taskState(before) === 'PAUSED') continue
      if (isSuspicious(after)) void this.#suspect(hostAddress(after))
    }
  }

  async #suspect(address: HostAddress): Promise<void> {
    const { held, network } = this.#parts
    const { key } = address
    if (this.#asking.has(key) || this.#silent.has(key)) return
    this.#asking.add(key)
    try {
      // Offline there is no telling: it goes on with the others.
      const isOffline = held.get(offlineKey) !== null
      const answer = isOffline ? 'offline' : await network.probe(address.host, address.port)
      if (answer === 'answers') return
      this.#silent.set(key, { address, byItself: answer === 'silent' })
      if (isOffline) return
      if (answer === 'offline' || (this.#silent.size > 1 && !this.#parts.isFlowing())) this.#holdOffline()
      else this.#holdHost(address)
    } catch (thrown) {
      this.#parts.onFault(thrown)
    } finally {
      this.#asking.delete(key)
      this.#parts.onAsked()
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
      onEnd: async () => {
        this.#silent.delete(address.key)
        await this.#parts.onAnswers(new Set([address.key]))
      },
    })
  }

  #holdOffline(): void {
    const { held } = this.#parts
    held.hold({
      key: offlineKey,
      error: new SluiceError('NETWORK_ERROR', 'There is no connection to the internet', {
        hint: 'The downloads go on when it is back.',
      }).toRecord(),
      probe: () => this.#probeOne(),
      onEnd: () => this.#backOnline(),
    })
    for (const key of this.#silent.keys()) held.drop(hostKey(key))
  }

  /** One connection per probe, to each of the silent hosts in turn; the first answer ends "offline". */
  async #probeOne(): Promise<boolean> {
    const suspects = [...this.#silent.values()]
    const suspect = suspects[this.#next++ % Math.max(1, suspects.length)]
    if (suspect === undefined) return true
    const { key, host, port } = suspect.address
    if ((await this.#parts.network.probe(host, port)) !== 'answers') return false
    this.#answered = key
    return true
  }

  /** Hosts that were silent by themselves are asked one by one; the others only shared the dead line. */
  async #backOnline(): Promise<void> {
    const released = new Set<string>()
    for (const [key, { address, byItself }] of this.#silent) {
      if (byItself && key !== this.#answered) this.#holdHost(address)
      else {
        released.add(key)
        this.#silent.delete(key)
      }
    }
    await this.#parts.onAnswers(released)
  }
}

/** Paused with a used-up budget by something that a dead host or network would cause. */
function isSuspicious(task: Task): boolean {
  if (taskState(task) !== 'PAUSED' || task.pause?.kind !== 'network') return false
  const { code } = task.pause.error
  const unreachable = code === 'NETWORK_ERROR' || code === 'TIMEOUT' || code === 'HOST_NOT_FOUND'
  return task.pause.resumeTo === 'tail' && unreachable
}
