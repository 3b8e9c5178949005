/** Kept connections and TLS sessions per destination, shared by all transfers of a worker. */
import type { HttpConnection } from './http-connection.ts'

/** Idle connections kept per destination; more would only hold sockets of the host. */
const idlePerKey = 16

export class ConnectionPool {
  readonly #keepAliveMs: number
  readonly #idle = new Map<string, { connection: HttpConnection; timer: NodeJS.Timeout }[]>()
  readonly #sessions = new Map<string, Buffer>()

  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs
  }

  /** The most recently used idle connection to a destination, null when there is none. */
  take(key: string): HttpConnection | null {
    for (let entry = this.#idle.get(key)?.pop(); entry !== undefined; entry = this.#idle.get(key)?.pop()) {
      clearTimeout(entry.timer)
      entry.connection.onIdleEnd = () => {}
      if (entry.connection.reusable) {
        entry.connection.setReferenced(true)
        return entry.connection
      }
      entry.connection.destroy()
    }
    return null
  }

  /** Gives back a connection: kept for a while if it can carry another request, else closed. */
  give(connection: HttpConnection): void {
    const entries = this.#idle.get(connection.key) ?? []
    if (!connection.reusable || entries.length >= idlePerKey || this.#keepAliveMs <= 0) {
      connection.destroy()
      return
    }
    this.#idle.set(connection.key, entries)
    const timer = setTimeout(() => connection.destroy(), this.#keepAliveMs)
    timer.unref()
    connection.setReferenced(false)
    connection.onIdleEnd = () => {
      clearTimeout(timer)
      const at = entries.findIndex((entry) => entry.connection === connection)
      if (at >= 0) entries.splice(at, 1)
    }
    entries.push({ connection, timer })
  }

  session(key: string): Buffer | undefined {
    return this.#sessions.get(key)
  }

  keepSession(key: string, session: Buffer): void {
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    const oldest = this.#sessions.keys().next()
    if (this.#sessions.size > 64 && oldest.done !== true) this.#sessions.delete(oldest.value)
  }

  /** Closes idle connections and forgets sessions: who is trusted has changed. */
  forget(): void {
    this.close()
    this.#sessions.clear()
  }

  close(): void {
    for (const entries of [...this.#idle.values()]) {
      for (const { connection } of [...entries]) connection.destroy()
    }
    this.#idle.clear()
  }
}
