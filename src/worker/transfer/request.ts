/** Builds request heads. Everything that leaves is made here, so what is secret is dropped in one place. */
import { checkHeaders } from '../../shared/request-headers.ts'
import type { Headers } from '../../shared/task/resource.ts'
import { userAgent } from './engine-defaults.ts'
import { basicCredentials } from './proxy.ts'
import type { Proxy } from './proxy.ts'

export interface RequestHead {
  url: URL
  /** the user's headers and credentials may be sent to this origin only */
  trustedOrigin: string
  headers: Headers
  credentials: { user: string; password: string } | null
  /** answer to a challenge of the trusted origin, in place of any other `Authorization`; null: there was none */
  authorization: string | null
  /** value of `Cookie` as latin1 */
  cookies: string
  range: { start: number; end: number | null } | null
  /** strong validator to compare, null for none */
  ifRange: string | null
  /** an HTTP proxy that gets plain requests in absolute form, null without one */
  proxy: Proxy | null
}

/** A header value as latin1: what is beyond goes out as the bytes of its UTF-8. */
function wire(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** The head of a GET as a latin1 string, empty line included. Throws `INVALID_INPUT` for headers not allowed. */
export function requestText(request: RequestHead): string {
  const { url, proxy } = request
  const target = targetOf(url)
  const lines = [`GET ${proxy === null ? target : `${url.origin}${target}`} HTTP/1.1`, `Host: ${url.host}`]
  if (proxy !== null && proxy.credentials !== null) {
    lines.push(`Proxy-Authorization: ${basicCredentials(proxy.credentials)}`)
  }
  for (const [name, value] of requestFields(request)) lines.push(`${name}: ${value}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Path and query, as they are asked for. */
export function targetOf(url: URL): string {
  return `${url.pathname}${url.search}`
}

/**
 * The fields of a GET but `Host`, values as latin1 strings, the same for every protocol. Throws `INVALID_INPUT` for
 * headers not allowed.
 */
export function requestFields(request: Omit<RequestHead, 'proxy'>): [string, string][] {
  const { url, range } = request
  const trusted = url.origin === request.trustedOrigin
  const own = trusted ? checkHeaders(request.headers) : []
  const has = (name: string) => own.some(([given]) => given.toLowerCase() === name)
  const fields: [string, string][] = []
  if (!has('user-agent')) fields.push(['User-Agent', ownUserAgent(request.headers) ?? userAgent])
  if (!has('accept')) fields.push(['Accept', '*/*'])
  // Anything but identity could change what byte offsets mean.
  fields.push(['Accept-Encoding', 'identity'])
  if (range !== null) {
    fields.push(['Range', `bytes=${range.start}-${range.end === null ? '' : range.end - 1}`])
    if (request.ifRange !== null) fields.push(['If-Range', request.ifRange])
  }
  const answer = trusted ? request.authorization : null
  if (answer !== null) fields.push(['Authorization', answer])
  else if (trusted && request.credentials !== null && !has('authorization')) {
    fields.push(['Authorization', basicCredentials(request.credentials)])
  }
  const given = own.filter(([name]) => name.toLowerCase() === 'cookie').map(([, value]) => wire(value))
  const cookies = [...given, request.cookies].filter((value) => value !== '').join('; ')
  if (cookies !== '') fields.push(['Cookie', cookies])
  for (const [name, value] of own) {
    const lower = name.toLowerCase()
    if (lower !== 'cookie' && !(lower === 'authorization' && answer !== null))
      fields.push([name, wire(value)])
  }
  return fields
}

/** The user agent is no secret: a changed one goes to every origin, as hosts compare it along a chain. */
function ownUserAgent(headers: Headers): string | null {
  const own = checkHeaders(headers).find(([name]) => name.toLowerCase() === 'user-agent')
  return own === undefined ? null : wire(own[1])
}
