/**
 * How many connections each host gets: the setting, or fewer where a host has refused more. What was learnt is kept
 * in the database, and one more is tried each hour.
 */
import type { ErrorRecord } from '../../shared/errors.ts'
import { SluiceError } from '../../shared/errors.ts'
import { raisedLimit } from '../../shared/raised-limit.ts'
import type { Task } from '../../shared/task/model.ts'
import type { Clock, HostLimit, TaskStore } from '../ports.ts'
import type { Run } from '../runner/run.ts'
import type { Runs } from '../runner/runs.ts'
import type { TaskMemory } from '../service/task-memory.ts'
import { hostAddress, servingHost } from './host-address.ts'

export interface HostLimitParts {
  readonly clock: Clock
  readonly store: Pick<TaskStore, 'hostLimits' | 'commit'>
  readonly runs: Runs
  readonly memory: TaskMemory
  /** connections to one host, over all tasks */
  perHost(): number
  onFault(taskId: string | null, error: unknown): void
}

export class HostLimits {
  readonly #parts: HostLimitParts
  readonly #known = new Map<string, HostLimit>()
  /** what each host of `#known` bore when it was looked at last */
  readonly #seen = new Map<string, number>()
  readonly #errors = new Map<string, ErrorRecord>()

  constructor(parts: HostLimitParts) {
    this.#parts = parts
  }

  async load(): Promise<void> {
    for (const limit of await this.#parts.store.hostLimits()) this.#known.set(limit.host, limit)
  }

  /** A host refused more than so many at once. */
  async learn(host: string, connections: number): Promise<void> {
    if ((this.#current(host) ?? Infinity) < connections) return
    const limit: HostLimit = { host, connections, learntAt: this.#parts.clock.now() }
    this.#known.set(host, limit)
    try {
      await this.#parts.store.commit([{ kind: 'put-host-limit', limit }])
    } catch (thrown) {
      // It counts in this life at least.
      this.#parts.onFault(null, thrown)
    }
  }

  /** Whether a host bears more than at the last call: an hour has passed, and who waits for it may start. */
  haveRisen(): boolean {
    let haveRisen = false
    for (const host of this.#known.keys()) {
      const connections = this.#current(host) ?? Infinity
      haveRisen ||= connections > (this.#seen.get(host) ?? connections)
      this.#seen.set(host, connections)
    }
    return haveRisen
  }

  /** Connections for all tasks that ask the hosts of this one. */
  capacityFor(task: Task): number {
    const learnt = [hostAddress(task).key, servingHost(task)].map((host) => this.#current(host) ?? Infinity)
    return Math.min(this.#parts.perHost(), ...learnt)
  }

  /** What was learnt about the host that serves this task, null when nothing was, or nothing that still matters. */
  learntFor(task: Task): { host: string; connections: number } | null {
    const host = servingHost(task)
    const connections = this.#current(host)
    return connections === null || connections >= this.#parts.perHost() ? null : { host, connections }
  }

  /** Attempts that ask the same host as this task, without its own. */
  peersOf(task: Task): Run[] {
    const { runs, memory } = this.#parts
    const { key } = hostAddress(task)
    return runs.all().filter((run) => {
      const other = run.taskId === task.id ? undefined : memory.live(run.taskId)
      return other !== undefined && hostAddress(other).key === key
    })
  }

  /** Why the task has to wait for a connection: each attempt needs one. */
  block(task: Task): ErrorRecord | null {
    if (this.#parts.runs.size === 0) return null
    if (this.peersOf(task).length < this.capacityFor(task)) return null
    return this.#allLeased(hostAddress(task).key)
  }

  /** Made once for each host: the whole queue may be told. */
  #allLeased(host: string): ErrorRecord {
    let error = this.#errors.get(host)
    if (error === undefined) {
      error = new SluiceError('RATE_LIMITED', 'All connections that its host may have are in use', {
        hint: 'It starts by itself when one of them is free.',
        details: { host },
      }).toRecord()
      this.#errors.set(host, error)
    }
    return error
  }

  #current(host: string): number | null {
    const limit = this.#known.get(host)
    return limit === undefined
      ? null
      : raisedLimit(limit.connections, this.#parts.clock.now() - limit.learntAt)
  }
}
