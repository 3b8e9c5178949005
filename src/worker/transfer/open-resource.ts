/**
 * Opens a resource by policy: connection, proxy, redirects, cookies, address rules, statuses. Whatever wants
 * bytes from a URL comes through here.
 */
import type { ErrorDetails } from '../../shared/errors.ts'
import { checkLink } from '../../shared/link.ts'
import type { ResourceFacts } from '../../shared/task/resource.ts'
import { digestChallenge, parseChallenges } from './digest-auth.ts'
import type { Engine } from './engine.ts'
import { exchange } from './exchange.ts'
import type { Exchange, ResourceRequest } from './exchange.ts'
import { checksumOf, parseContentRange, parseRetryAfter, validatorOf } from './header-values.ts'
import type { ContentRange } from './header-values.ts'
import type { BodySource, OpenResource } from './opened.ts'
import type { ResponseHead } from './response-head.ts'
import { fieldOf, fieldsOf } from './response-head.ts'
import { Trouble, trouble } from './trouble.ts'

export const maxRedirects = 10

/** Opens; rejects with a `Trouble`, a `SluiceError` for input that cannot be sent, or the signal's reason. */
export async function openResource(engine: Engine, request: ResourceRequest): Promise<OpenResource> {
  let url = new URL(checkLink(request.url).url)
  let { mayBePrivate } = request
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const answer = await exchangeSignedIn(engine, { ...request, mayBePrivate }, url)
    const { connection, head } = answer
    if (hop === 0 && mayBePrivate) mayBePrivate = leadsToPrivate(engine, connection, url)
    const location = redirectOf(head)
    if (location === null)
      return answered(answer, url, { mayBePrivate, cookies: request.cookies, auth: request.auth })
    const next = resolveRedirect(location, url)
    discardBody(answer)
    if (url.protocol === 'https:' && next.protocol === 'http:' && request.access.mayLeaveHttps !== true) {
      throw trouble('permanent', 'FORBIDDEN', 'The host led from https to unprotected http', {
        details: { host: next.host },
        hint: 'Give the http link itself, or allow this task to leave https, if you accept that.',
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

/** Asks, and once more with an answer to the host's digest challenge (twice when the nonce had become too old). */
async function exchangeSignedIn(engine: Engine, request: ResourceRequest, url: URL): Promise<Exchange> {
  for (let tries = 0; ; tries++) {
    const answer = await exchange(engine, request, url)
    const { head } = answer
    request.cookies.keep(url, fieldsOf(head, 'set-cookie'), Date.now())
    const { auth } = request
    const mayAnswer = head.status === 401 && url.origin === request.trustedOrigin && tries < 2
    if (!mayAnswer || auth === null) return answer
    if (!auth.challenged(parseChallenges(fieldsOf(head, 'www-authenticate')), tries === 0)) return answer
    discardBody(answer)
  }
}

function leadsToPrivate(engine: Engine, connection: BodySource, url: URL): boolean {
  if (connection.addressClass !== null) return connection.addressClass === 'private'
  const literal = /^[\d.]+$|^\[/.test(url.hostname)
  return literal && engine.classify(url.hostname.replace(/^\[|\]$/g, '')) === 'private'
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
function discardBody({ connection, head, giveBack }: Exchange): void {
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
        giveBack()
      },
    },
    null,
  )
}

function answered(
  answer: Exchange,
  url: URL,
  chain: Pick<OpenResource, 'mayBePrivate' | 'cookies' | 'auth'>,
): OpenResource {
  const { connection, head, askedAt, giveBack } = answer
  const { status } = head
  if (status !== 200 && status !== 203 && status !== 206 && status !== 416) {
    discardBody(answer)
    throw statusTrouble(head, url.host)
  }
  const contentRange =
    status === 206 || status === 416 ? parseContentRange(fieldOf(head, 'content-range')) : null
  return {
    askedAt,
    status,
    head,
    facts: factsOf(head, contentRange, url),
    contentRange,
    contentDisposition: fieldOf(head, 'content-disposition'),
    ...chain,
    connection,
    receive: (sink, meter) => connection.receive(sink, meter),
    close: giveBack,
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
  const make = (
    advice: Trouble['advice'],
    code: Trouble['error']['code'],
    message: string,
    more: { hint?: string; details?: ErrorDetails } = {},
  ) => {
    const { hint, details } = more
    const { error } = trouble(advice, code, message, {
      details: { host, status, ...details },
      ...(hint === undefined ? {} : { hint }),
    })
    const retryAfterMs = parseRetryAfter(fieldOf(head, 'retry-after'), fieldOf(head, 'date'), Date.now())
    return new Trouble(advice, error, { status, retryAfterMs })
  }
  switch (status) {
    case 401:
      return make(
        'source',
        'AUTH_FAILED',
        `The host does not allow this download (${status})`,
        signInAdvice(head),
      )
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

/** What kinds of sign-in the host takes, and what to do about it. */
function signInAdvice(head: ResponseHead): { hint?: string; details?: ErrorDetails } {
  const challenges = parseChallenges(fieldsOf(head, 'www-authenticate')).slice(0, 8)
  if (challenges.length === 0) return {}
  const kinds = [...new Set(challenges.map(({ scheme }) => scheme.slice(0, 20)))]
  const details = { signIn: kinds.join(', ') }
  const isKnown = kinds.includes('basic') || digestChallenge(challenges) !== null
  if (isKnown) return { details, hint: 'Check the user name and password, and give them with the link.' }
  if (kinds.includes('bearer'))
    return { details, hint: 'Give the token as a header: Authorization: Bearer …' }
  return {
    details,
    hint: 'This kind of sign-in is not supported; give the cookies or the header of a browser that is signed in.',
  }
}
