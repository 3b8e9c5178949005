/**
 * Opens a resource by policy: connection, proxy, redirects, cookies, address rules, statuses. Whatever wants
 * bytes from a URL comes through here.
 */
import type { ResourceFacts } from '../../shared/task/model.ts'
import { checkLink } from '../../shared/link.ts'
import type { Headers } from '../../shared/task/model.ts'
import type { ChainCookies } from './chain-cookies.ts'
import { connect, connectionKey } from './connect.ts'
import type { Engine } from './engine.ts'
import type { OpenResource } from './opened.ts'
import { checksumOf, parseContentRange, parseRetryAfter, validatorOf } from './header-values.ts'
import type { ContentRange } from './header-values.ts'
import type { HttpConnection } from './http-connection.ts'
import { proxyFor, proxyRefusedCredentials } from './proxy.ts'
import type { Destination } from './proxy.ts'
import { requestText } from './request.ts'
import type { ResponseHead } from './response-head.ts'
import { fieldOf, fieldsOf } from './response-head.ts'
import { Trouble, networkTrouble, trouble } from './trouble.ts'

export interface ResourceRequest {
  url: string
  headers: Headers
  /** origin that the user's headers and credentials are for: that of the link */
  trustedOrigin: string
  credentials: { user: string; password: string } | null
  cookies: ChainCookies
  range: { start: number; end: number | null } | null
  ifRange: string | null
  proxy: string | null
  /** false when a public host led to this URL */
  mayBePrivate: boolean
  signal: AbortSignal
}

export const maxRedirects = 10

/** Opens; rejects with a `Trouble`, a `SluiceError` for input that cannot be sent, or the signal's reason. */
export async function openResource(engine: Engine, request: ResourceRequest): Promise<OpenResource> {
  let url = new URL(checkLink(request.url).url)
  let { mayBePrivate } = request
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const { connection, head } = await exchange(engine, { ...request, mayBePrivate }, url)
    if (hop === 0 && mayBePrivate) mayBePrivate = leadsToPrivate(engine, connection, url)
    request.cookies.keep(url, fieldsOf(head, 'set-cookie'))
    const location = redirectOf(head)
    if (location === null)
      return answered(engine, connection, head, url, { mayBePrivate, cookies: request.cookies })
    const next = resolveRedirect(location, url)
    discardBody(engine, connection, head)
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw trouble('permanent', 'FORBIDDEN', 'The host led from https to unprotected http', {
        details: { host: next.host },
        hint: 'Give the http link itself if you accept that.',
      })
    }
    url = next
  }
  throw trouble(
    'permanent',
    'HTTP_ERROR',
    `The link leads in a circle (more than ${maxRedirects} redirects)`,
    {
      details: { host: url.host },
    },
  )
}

function leadsToPrivate(engine: Engine, connection: HttpConnection, url: URL): boolean {
  if (connection.addressClass !== null) return connection.addressClass === 'private'
  const literal = /^[\d.]+$|^\[/.test(url.hostname)
  return literal && engine.classify(url.hostname.replace(/^\[|\]$/g, '')) === 'private'
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

/** One request and its head, over a kept connection or a fresh one. */
async function exchange(
  engine: Engine,
  request: ResourceRequest,
  url: URL,
): Promise<{ connection: HttpConnection; head: ResponseHead }> {
  const destination = destinationOf(url)
  const proxy = proxyFor(destination, request.proxy, engine.environment)
  const options = { proxy, mayBePrivate: request.mayBePrivate, signal: request.signal }
  const text = requestText({
    ...request,
    url,
    cookies: request.cookies.headerFor(url),
    proxy: proxy?.kind === 'http' && destination.scheme === 'http' ? proxy : null,
  })
  for (;;) {
    request.signal.throwIfAborted()
    const kept = engine.connections.take(connectionKey(destination, options))
    const connection = kept ?? (await connect(engine, destination, options))
    const onAbort = () => connection.destroy()
    request.signal.addEventListener('abort', onAbort)
    try {
      const head = await connection.request(text, 'GET', engine.timings.headMs)
      if (head.status === 407) {
        connection.destroy()
        throw proxyRefusedCredentials()
      }
      return { connection, head }
    } catch (thrown) {
      request.signal.throwIfAborted()
      // A kept connection that the host closed just as it was used again says nothing about the host.
      if (kept !== null && thrown instanceof Trouble && thrown.error.code === 'NETWORK_ERROR') continue
      throw networkTrouble(thrown, url.host)
    } finally {
      request.signal.removeEventListener('abort', onAbort)
    }
  }
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])

function redirectOf(head: ResponseHead): string | null {
  return redirectStatuses.has(head.status) ? fieldOf(head, 'location') : null
}

/** Bytes beyond ASCII, and spaces, are percent-encoded as they are: the host meant exactly these bytes. */
function resolveRedirect(location: string, from: URL): URL {
  const encoded = location
    .trim()
    .replace(/[^\x21-\x7e]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
  try {
    const checked = checkLink(encoded, from.href)
    return new URL(checked.url)
  } catch (thrown) {
    throw trouble('permanent', 'UNSUPPORTED', 'The host led to something that is not a web link', {
      cause: thrown,
      details: { host: from.host },
    })
  }
}

/** Reads a short body so that the connection can be kept; a long one costs less to drop. */
function discardBody(engine: Engine, connection: HttpConnection, head: ResponseHead): void {
  const { framing } = head
  const short = framing.kind === 'none' || (framing.kind === 'length' && framing.length <= 64 * 1024)
  if (!short) {
    connection.destroy()
    return
  }
  const giveUp = setTimeout(() => connection.destroy(), 1000)
  connection.receive(
    {
      slabBytes: 64 * 1024,
      data: () => true,
      ended: () => {
        clearTimeout(giveUp)
        engine.connections.give(connection)
      },
    },
    null,
  )
}

function answered(
  engine: Engine,
  connection: HttpConnection,
  head: ResponseHead,
  url: URL,
  chain: Pick<OpenResource, 'mayBePrivate' | 'cookies'>,
): OpenResource {
  const { status } = head
  if (status !== 200 && status !== 203 && status !== 206 && status !== 416) {
    discardBody(engine, connection, head)
    throw statusTrouble(head, url.host)
  }
  const contentRange =
    status === 206 || status === 416 ? parseContentRange(fieldOf(head, 'content-range')) : null
  return {
    status,
    head,
    facts: factsOf(head, contentRange, url),
    contentRange,
    contentDisposition: fieldOf(head, 'content-disposition'),
    ...chain,
    connection,
    receive: (sink, meter) => connection.receive(sink, meter),
    close: () => {
      if (connection.reusable) engine.connections.give(connection)
      else connection.destroy()
    },
  }
}

function factsOf(head: ResponseHead, contentRange: ContentRange | null, url: URL): ResourceFacts {
  const encoding = fieldOf(head, 'content-encoding')
  // Encoded bytes are kept as sent, but their length is not the file's and offsets into them mean nothing.
  const encoded = encoding !== null && encoding !== '' && encoding.toLowerCase() !== 'identity'
  const whole =
    head.status === 206 || head.status === 416
      ? (contentRange?.total ?? null)
      : head.framing.kind === 'length'
        ? head.framing.length
        : null
  const isWholeAnswer =
    head.status === 200 ||
    (contentRange?.kind === 'range' && contentRange.start === 0 && contentRange.end === contentRange.total)
  return {
    finalUrl: url.href,
    length: encoded ? null : whole,
    validator: encoded ? null : validatorOf(head),
    acceptsRanges: !encoded && head.status === 206 && contentRange?.kind === 'range',
    contentType: fieldOf(head, 'content-type'),
    checksum: isWholeAnswer && !encoded ? checksumOf(head) : null,
  }
}

/** An error status as a trouble, by the table of failures. */
function statusTrouble(head: ResponseHead, host: string): Trouble {
  const { status } = head
  const details = { host, status }
  const make = (advice: Trouble['advice'], code: Trouble['error']['code'], message: string) => {
    const { error } = trouble(advice, code, message, { details })
    const retryAfterMs = parseRetryAfter(fieldOf(head, 'retry-after'), fieldOf(head, 'date'), Date.now())
    return new Trouble(advice, error, { status, retryAfterMs })
  }
  switch (status) {
    case 401:
    case 403:
      return make('source', 'AUTH_FAILED', `The host does not allow this download (${status})`)
    case 404:
    case 410:
      return make('source', 'NOT_FOUND', `The host has nothing at this link (${status})`)
    case 408:
    case 425:
    case 429:
      return make('retry', 'HTTP_ERROR', `The host asks to come back later (${status})`)
    default:
      return status >= 500
        ? make('retry', 'HTTP_ERROR', `The host has trouble of its own (${status})`)
        : make('permanent', 'HTTP_ERROR', `The host gave an answer that cannot be used (${status})`)
  }
}
