/**
 * The gates in front of every request, in their order: method and length, Host, Origin and Sec-Fetch-Site, secret.
 * Each answers before the next one looks, and all of them before a body is read. Pure: facts of a request in, a
 * refusal or null out.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { networkInterfaces, hostname } from 'node:os'
import type { ErrorRecord } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import type { SecretVerdict } from './secret-check.ts'

export interface Refusal {
  status: number
  error: ErrorRecord
  headers?: Readonly<Record<string, string>>
}

export interface RequestFacts {
  method: string
  url: string
  headers: IncomingHttpHeaders
  /** names and values as they came, in turn: the joined form hides a second Host */
  rawHeaders: readonly string[]
}

/** Longest path with query that is taken, in characters. */
export const maxUrlLength = 8192
export const allowedMethods = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const

/** `mayAskFirst`: an origin that is let in asks by OPTIONS what it may do. */
export function methodAndLengthGate({ method, url }: RequestFacts, mayAskFirst: boolean): Refusal | null {
  if (!(method === 'OPTIONS' && mayAskFirst) && !allowedMethods.some((allowed) => allowed === method)) {
    return refusal(405, 'INVALID_INPUT', 'This method is not taken', { Allow: allowedMethods.join(', ') })
  }
  // the absolute form names a host of its own, past the Host header; only proxies are asked in it
  if (!url.startsWith('/'))
    return refusal(400, 'INVALID_INPUT', 'The address of a request begins with a slash')
  return url.length > maxUrlLength ? refusal(414, 'INVALID_INPUT', 'The address is too long') : null
}

/** The names under which a host that listens on this address may be asked for (DNS rebinding uses another). */
export function ownNames(listeningOn: string): string[] {
  const loopback = ['127.0.0.1', 'localhost', '[::1]']
  const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address.toLowerCase())
  if (listeningOn === '0.0.0.0' || listeningOn === '::') {
    const addresses = Object.values(networkInterfaces()).flatMap(
      (list) => list?.map((each) => each.address) ?? [],
    )
    const machine = hostname().toLowerCase()
    return [...loopback, ...addresses.map(inUrl), machine, `${machine}.local`]
  }
  return [...loopback, inUrl(listeningOn)]
}

/** What `Host` may say: one of our names with our port, exactly. */
export function hostGate(facts: RequestFacts, names: readonly string[], port: number): Refusal | null {
  const { host } = facts.headers
  const given = facts.rawHeaders.filter(
    (name, index) => index % 2 === 0 && name.toLowerCase() === 'host',
  ).length
  if (given === 1 && host !== undefined && isOwn(host, names, port)) return null
  return refusal(421, 'FORBIDDEN', 'This host is not asked for under that name', undefined, {
    hint: 'Use the address that was printed at the start.',
  })
}

function isOwn(host: string, names: readonly string[], port: number): boolean {
  const asked = host.toLowerCase()
  return names.some((name) => asked === `${name}:${port}` || (port === 80 && asked === name))
}

/**
 * Pages of others get nothing: `Origin` is ours or absent, `Sec-Fetch-Site` says the same. There are two exceptions: an
 * origin that the user has let in, and a link to the window itself that somebody follows from elsewhere (`isPage`): it
 * changes nothing and shows nothing without the secret.
 */
export function originGate(
  { headers }: RequestFacts,
  names: readonly string[],
  port: number,
  isPage: boolean,
  allowedOrigins: readonly string[],
): Refusal | null {
  const { origin } = headers
  if (isAllowedOrigin(origin, allowedOrigins)) return null
  const site = headers['sec-fetch-site']
  const foreign = refusal(403, 'FORBIDDEN', 'Pages of other origins may not ask this host', undefined, {
    hint: 'Ask from the window of this host, or from a program.',
  })
  if (origin !== undefined) {
    const host = /^http:\/\/(.+)$/.exec(origin)?.[1]
    if (host === undefined || !isOwn(host, names, port)) return foreign
  }
  if (site === undefined || site === 'same-origin' || site === 'none') return null
  const follows = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return isPage && follows ? null : foreign
}

/** Whether this is an origin of another program that the user has let in. */
export function isAllowedOrigin(origin: string | undefined, allowedOrigins: readonly string[]): boolean {
  return origin !== undefined && allowedOrigins.includes(origin)
}

/** What a browser has to be told so that a page of this origin may read our answers; for no other origin. */
export function sharingHeaders(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': allowedMethods.join(', '),
    'Access-Control-Allow-Headers':
      'X-Secret-Key, Authorization, Content-Type, Idempotency-Key, Last-Event-ID',
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '600',
    Vary: 'Origin',
  }
}

/** The secret of a request, from its two possible headers; undefined when there is none. */
export function givenSecret(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-secret-key']
  if (key !== undefined) return typeof key === 'string' ? key : key.join(', ')
  return /^Bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]
}

export function secretGate(verdict: SecretVerdict): Refusal | null {
  switch (verdict.kind) {
    case 'right':
      return null
    case 'limited':
      return refusal(
        429,
        'RATE_LIMITED',
        'Too many wrong secrets came from this address',
        { 'Retry-After': String(verdict.retryAfterSeconds) },
        { details: { retryAfterSeconds: verdict.retryAfterSeconds } },
      )
    case 'missing':
    case 'wrong':
      // the same answer to both: it tells nothing about the secret
      return refusal(401, 'UNAUTHORIZED', 'The secret of this host is needed', {
        'WWW-Authenticate': 'Bearer',
      })
  }
}

export function refusal(
  status: number,
  code: ConstructorParameters<typeof SluiceError>[0],
  message: string,
  headers?: Readonly<Record<string, string>>,
  options?: ConstructorParameters<typeof SluiceError>[2],
): Refusal {
  const error = new SluiceError(code, message, options).toRecord()
  return { status, error, ...(headers === undefined ? {} : { headers }) }
}
