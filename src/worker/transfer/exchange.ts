/** One request and the head of its answer, over a kept connection or a fresh one, in HTTP/1.1 or, where only that is spoken, HTTP/2. */
import type { Access } from '../../shared/task/access.ts'
import type { Headers } from '../../shared/task/resource.ts'
import type { ChainCookies } from './chain-cookies.ts'
import { connect, connectHttp2, connectionKey } from './connect.ts'
import type { ConnectOptions } from './connect.ts'
import type { DigestAuth } from './digest-auth.ts'
import type { Engine } from './engine.ts'
import type { Http1Answer, HttpConnection } from './http-connection.ts'
import type { BodySource } from './opened.ts'
import { proxyFor, proxyRefusedCredentials } from './proxy.ts'
import type { Destination } from './proxy.ts'
import { requestFields, requestText, targetOf } from './request.ts'
import type { ResponseHead } from './response-head.ts'
import { isProtocolRefused, networkTrouble } from './trouble.ts'

export interface ResourceRequest {
  url: string
  headers: Headers
  /** origin that the user's headers and credentials are for: that of the link */
  trustedOrigin: string
  credentials: { user: string; password: string } | null
  /** answers digest challenges of the trusted origin; null when nothing is known to answer with */
  auth: DigestAuth | null
  cookies: ChainCookies
  access: Access
  range: { start: number; end: number | null } | null
  ifRange: string | null
  proxy: string | null
  /** false when a public host led to this URL */
  mayBePrivate: boolean
  signal: AbortSignal
}

export interface Exchange {
  readonly connection: BodySource
  readonly head: ResponseHead
  /** monotonic ms at which the request was sent */
  readonly askedAt: number
  /** Gives the connection back when its body is whole and read, else closes it. */
  readonly giveBack: () => void
}

function destinationOf(url: URL): Destination {
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const defaultPort = scheme === 'https' ? 443 : 80
  return {
    scheme,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? defaultPort : Number(url.port),
  }
}

/** `host` as a person writes it: in any case, with or without brackets or the name in its own script. */
function isHostOf(host: string, url: URL): boolean {
  return (URL.parse(`https://${host}`) ?? URL.parse(`https://[${host}]`))?.hostname === url.hostname
}

/** Asks and resolves with the head of the answer; its body waits. Rejects with a `Trouble` or the signal's reason. */
export async function exchange(engine: Engine, request: ResourceRequest, url: URL): Promise<Exchange> {
  const destination = destinationOf(url)
  const proxy = proxyFor(destination, request.proxy, engine.environment)
  const options: ConnectOptions = {
    proxy,
    mayBePrivate: request.mayBePrivate,
    unchecked: request.access.uncheckedHosts?.some((host) => isHostOf(host, url)) ?? false,
    signal: request.signal,
  }
  const head = {
    ...request,
    url,
    cookies: request.cookies.headerFor(url, Date.now()),
    authorization:
      url.origin === request.trustedOrigin ? (request.auth?.authorizationFor(targetOf(url)) ?? null) : null,
    proxy: proxy?.kind === 'http' && destination.scheme === 'http' ? proxy : null,
  }
  const overHttp2 = () => exchangeOverHttp2(engine, destination, options, url, requestFields(head))
  if (engine.http2.isNeededFor(connectionKey(destination, options))) return overHttp2()
  return exchangeOverHttp1(engine, destination, options, requestText(head), overHttp2)
}

/** Answers of hosts that agreed to no protocol and may speak HTTP/2 only. */
const protocolStatuses = new Set([403, 426, 505])

async function exchangeOverHttp1(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
  text: string,
  overHttp2: () => Promise<Exchange>,
): Promise<Exchange> {
  const { signal } = options
  for (;;) {
    signal.throwIfAborted()
    const kept = engine.connections.take(connectionKey(destination, options))
    let connection: HttpConnection | null = kept
    try {
      connection ??= await connect(engine, destination, options)
      const askedAt = performance.now()
      const answer = await requestOver(engine, connection, text, signal)
      // A host that agreed to no protocol in the handshake may have meant the other one.
      if (connection.agreedToHttp1 === false && protocolStatuses.has(answer.head.status)) {
        const second = await overHttp2().catch(() => null)
        if (second !== null) {
          connection.destroy()
          return second
        }
      }
      return exchangeOf(engine, connection, answer, askedAt)
    } catch (thrown) {
      signal.throwIfAborted()
      const problem = networkTrouble(thrown, destination.host)
      // A kept connection that the host closed just as it was used again says nothing about the host.
      if (kept !== null && problem.error.code === 'NETWORK_ERROR') continue
      if (isProtocolRefused(problem)) return overHttp2()
      if (connection?.agreedToHttp1 === false && connection.answered === 0) {
        const second = await overHttp2().catch(() => null)
        if (second !== null) return second
      }
      throw problem
    }
  }
}

async function requestOver(
  engine: Engine,
  connection: HttpConnection,
  text: string,
  signal: AbortSignal,
): Promise<Http1Answer> {
  const onAbort = () => connection.destroy()
  signal.addEventListener('abort', onAbort)
  try {
    const answer = await connection.request(text, 'GET', engine.timings.headMs)
    if (answer.head.status === 407) {
      connection.destroy()
      throw proxyRefusedCredentials()
    }
    return answer
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function exchangeOf(
  engine: Engine,
  connection: HttpConnection,
  { head, body }: Http1Answer,
  askedAt: number,
): Exchange {
  return {
    connection: body,
    head,
    askedAt,
    giveBack: () => {
      if (connection.reusable) engine.connections.give(connection)
      else connection.destroy()
    },
  }
}

async function exchangeOverHttp2(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
  url: URL,
  fields: readonly (readonly [string, string])[],
): Promise<Exchange> {
  const { signal } = options
  const key = connectionKey(destination, options)
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    const session = await engine.http2.session(key, () => connectHttp2(engine, destination, options))
    const askedAt = performance.now()
    try {
      const { connection, head } = await session.get(url, fields, {
        pool: engine.slabs,
        headMs: engine.timings.headMs,
        signal,
      })
      return { connection, head, askedAt, giveBack: () => connection.destroy() }
    } catch (thrown) {
      signal.throwIfAborted()
      // A session that the host was about to close takes no more requests: a fresh one does, once.
      if (tries === 0 && session.wasUsed && session.isClosing) continue
      throw networkTrouble(thrown, destination.host)
    }
  }
}
