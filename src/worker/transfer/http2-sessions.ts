/**
 * HTTP/2 (RFC 9113) for hosts that speak nothing else: one session per destination over a socket that our own policy
 * opened (addresses, proxies, TLS), each request a stream of it. Node's client does the protocol and is loaded when
 * the first such host is met; bodies are copied into slabs, which the faster HTTP/1.1 client avoids.
 */
import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { AddressClass } from './address-rules.ts'
import { Http2Body } from './http2-body.ts'
import type { Framing, ResponseHead } from './response-head.ts'
import { maxHeadBytes, maxHeaderLines } from './response-head.ts'
import type { SlabPool } from './slab-pool.ts'
import { networkTrouble, protocolTrouble, trouble } from './trouble.ts'

export interface Http2Socket {
  readonly socket: Socket
  /** what the reached address is; null when a proxy reached it for us */
  readonly addressClass: AddressClass | null
  readonly host: string
}

/** Bytes that a host may send ahead on one stream, and on all of a session. */
const streamWindowBytes = 2 * 1024 * 1024
const sessionWindowBytes = 16 * 1024 * 1024

export class Http2Sessions {
  readonly #keepAliveMs: number
  readonly #sessions = new Map<string, Promise<Http2Session>>()
  readonly #needed = new Set<string>()

  constructor(keepAliveMs: number) {
    this.#keepAliveMs = keepAliveMs
  }

  /** Whether the destination was found to speak HTTP/2 only. */
  isNeededFor(key: string): boolean {
    return this.#needed.has(key)
  }

  /** The session with a destination; `open` connects when there is none. Rejects with what `open` rejects with. */
  async session(key: string, open: () => Promise<Http2Socket>): Promise<Http2Session> {
    const held = this.#sessions.get(key)
    if (held !== undefined) {
      const session = await held.catch(() => null)
      if (session !== null && !session.isClosing) return session
      if (this.#sessions.get(key) === held) this.#sessions.delete(key)
      return this.session(key, open)
    }
    const opening = this.#open(open)
    this.#sessions.set(key, opening)
    try {
      const session = await opening
      this.#needed.add(key)
      return session
    } catch (thrown) {
      if (this.#sessions.get(key) === opening) this.#sessions.delete(key)
      throw thrown
    }
  }

  async #open(open: () => Promise<Http2Socket>): Promise<Http2Session> {
    const { connect } = await import('node:http2')
    const socket = await open()
    const session = connect(`https://${socket.host.includes(':') ? `[${socket.host}]` : socket.host}`, {
      createConnection: () => socket.socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes, maxHeaderListSize: maxHeadBytes },
      maxHeaderListPairs: maxHeaderLines,
      // In MB: what the streams may hold ahead of slow sinks.
      maxSessionMemory: 64,
    })
    session.on('connect', () => session.setLocalWindowSize(sessionWindowBytes))
    return new Http2Session(session, socket, this.#keepAliveMs)
  }

  /** No further request goes over a session of before: who is trusted has changed. */
  forget(): void {
    this.#sessions.clear()
  }

  close(): void {
    for (const session of this.#sessions.values()) {
      session.then(
        (opened) => opened.destroy(),
        () => null,
      )
    }
    this.#sessions.clear()
  }
}

export class Http2Session {
  readonly #session: ClientHttp2Session
  readonly #socket: Http2Socket
  readonly #keepAliveMs: number
  #idleTimer: NodeJS.Timeout | null = null
  #streams = 0
  #goesAway = false
  wasUsed = false

  constructor(session: ClientHttp2Session, socket: Http2Socket, keepAliveMs: number) {
    this.#session = session
    this.#socket = socket
    this.#keepAliveMs = keepAliveMs
    // What breaks a session breaks its streams, which tell their own.
    session.on('error', () => null)
    session.on('goaway', () => (this.#goesAway = true))
  }

  /** True when no further request may be sent on it. */
  get isClosing(): boolean {
    return this.#goesAway || this.#session.closed || this.#session.destroyed
  }

  destroy(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    this.#session.destroy()
  }

  /** Asks for a URL; resolves with the head of the final answer. Rejects with a `Trouble`. */
  get(
    url: URL,
    fields: readonly (readonly [string, string])[],
    options: { pool: SlabPool; headMs: number; signal: AbortSignal },
  ): Promise<{ connection: Http2Body; head: ResponseHead }> {
    const { host, addressClass } = this.#socket
    this.wasUsed = this.#streams > 0 || this.#idleTimer !== null
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(
        {
          ':method': 'GET',
          ':scheme': 'https',
          ':authority': url.host,
          ':path': `${url.pathname}${url.search}`,
          ...Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
        },
        { endStream: true },
      )
      this.#begin()
      const body = new Http2Body(stream, { host, addressClass, pool: options.pool })
      const settle = (act: () => void) => {
        clearTimeout(timer)
        options.signal.removeEventListener('abort', onAbort)
        body.onFailure = () => {}
        act()
      }
      const onAbort = () =>
        settle(() => {
          body.destroy()
          reject(options.signal.reason as Error)
        })
      const timer = setTimeout(
        () =>
          settle(() => {
            body.destroy()
            reject(trouble('retry', 'TIMEOUT', `The host ${host} did not answer in time`))
          }),
        options.headMs,
      )
      options.signal.addEventListener('abort', onAbort)
      stream.on('close', () => this.#end())
      body.onFailure = (problem) => settle(() => reject(problem))
      stream.on('response', (_headers, flags, rawHeaders) => {
        settle(() => {
          try {
            const head = headOf(rawHeaders, (flags & 1) !== 0)
            body.begin(head)
            resolve({ connection: body, head })
          } catch (thrown) {
            body.destroy()
            reject(networkTrouble(thrown, host))
          }
        })
      })
    })
  }

  #begin(): void {
    this.#streams += 1
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
    if (!this.#session.destroyed) this.#session.ref()
  }

  #end(): void {
    this.#streams -= 1
    if (this.#streams > 0 || this.#session.destroyed) return
    this.#session.unref()
    this.#idleTimer = setTimeout(() => this.#session.close(), this.#keepAliveMs)
    this.#idleTimer.unref()
  }
}

/** The head in the form of the other protocol; names are lower-case already, values one char per byte. */
function headOf(raw: readonly string[], isWhole: boolean): ResponseHead {
  let status = 0
  const fields: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    if (name === ':status') status = Number(value)
    else if (!name.startsWith(':')) fields.push([name, value])
  }
  if (!Number.isInteger(status) || status < 200 || status > 999) throw protocolTrouble('an unreadable status')
  return { status, minor: 1, fields, framing: framingOf(fields, status, isWhole), keepAlive: true }
}

/** The protocol frames bodies itself; a Content-Length is compared with what came (RFC 9113 section 8.1.1). */
function framingOf(
  fields: readonly (readonly [string, string])[],
  status: number,
  isWhole: boolean,
): Framing {
  if (status === 204 || status === 304) return { kind: 'none' }
  const lengths = fields.filter(([name]) => name === 'content-length').map(([, value]) => value)
  const [length] = lengths
  if (length === undefined) return isWhole ? { kind: 'length', length: 0 } : { kind: 'close' }
  if (lengths.length > 1) throw protocolTrouble('more than one Content-Length')
  if (!/^\d{1,16}$/.test(length) || !Number.isSafeInteger(Number(length))) {
    throw protocolTrouble('an unusable Content-Length')
  }
  return { kind: 'length', length: Number(length) }
}
