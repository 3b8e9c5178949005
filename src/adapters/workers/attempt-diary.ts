/**
 * What worker processes wrote while they worked, by attempt, for `serve --debug-api`: the stacks of errors and all
 * else on their standard error. Bounded, in memory only, and without the secrets of the attempt's orders.
 */
import type { WorkerLease, WorkerPool } from '../../core/ports.ts'
import { scrub, secretValues } from '../../shared/mask-secrets.ts'
import type { HostMessage } from '../../shared/worker-protocol.ts'

/** Attempts that are remembered; beyond that the oldest is forgotten. */
const mostAttempts = 200
/** Characters kept of one attempt; of more, the last ones. */
const mostCharacters = 16_384

interface Page {
  text: string
  secrets: Set<string>
}

/** User names, passwords and signed queries of the links in a text. */
function withoutLinkSecrets(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@'"]+@/gi, '$1')
    .replace(/(https?:\/\/[^\s?'"]+\?)[^\s'"]+/gi, '$1•••')
}

function secretsOf(order: Extract<HostMessage, { kind: 'run-step' }>['order']): string[] {
  switch (order.kind) {
    case 'resolve':
      return secretValues(order.parameters)
    case 'fetch':
      return secretValues({ headers: order.source.headers, proxy: order.proxy, access: order.access })
    case 'mux':
      return []
  }
}

export class AttemptDiary {
  readonly #pages = new Map<string, Page>()
  /** the attempt that each worker process works for */
  readonly #attemptOf = new Map<number, string>()

  /** The pool, its workers' attempts noted on the way. */
  watch(pool: WorkerPool): WorkerPool {
    return {
      // what a process writes can be told apart only while it works for one attempt at a time
      acquire: async (handlers) => this.#watchLease(await pool.acquire(handlers, 'alone')),
      killRecorded: (processes) => pool.killRecorded(processes),
      close: () => pool.close(),
    }
  }

  /** A piece of what a worker wrote. */
  note(pid: number, text: string): void {
    const page = this.#pages.get(this.#attemptOf.get(pid) ?? '')
    if (page !== undefined) page.text = (page.text + text).slice(-mostCharacters)
  }

  /** What was written in an attempt, secrets masked; empty when nothing was, or it is forgotten. */
  read(attemptId: string): string {
    const page = this.#pages.get(attemptId)
    if (page === undefined) return ''
    const longestFirst = [...page.secrets].toSorted((a, b) => b.length - a.length)
    return withoutLinkSecrets(scrub(page.text, longestFirst))
  }

  #watchLease(lease: WorkerLease): WorkerLease {
    return {
      pid: lease.pid,
      startTime: lease.startTime,
      send: (message) => {
        if (message.kind === 'run-step') this.#begin(lease.pid, message)
        lease.send(message)
      },
      release: () => lease.release(),
      kill: () => lease.kill(),
    }
  }

  #begin(pid: number, { attemptId, order }: Extract<HostMessage, { kind: 'run-step' }>): void {
    this.#attemptOf.set(pid, attemptId)
    const page = this.#pages.get(attemptId) ?? { text: '', secrets: new Set() }
    for (const secret of secretsOf(order)) page.secrets.add(secret)
    this.#pages.set(attemptId, page)
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > mostAttempts && oldest !== undefined) this.#pages.delete(oldest)
  }
}
