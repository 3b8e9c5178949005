/** Builds request heads. Everything that leaves is made here, so what is secret is dropped in one place. */
import { checkHeaders } from '../../shared/request-headers.ts'
import type { Headers } from '../../shared/task/model.ts'
import { userAgent } from './engine-defaults.ts'
import { basicCredentials } from './proxy.ts'
import type { Proxy } from './proxy.ts'

export interface RequestHead {
  url: URL
  /** the user's headers and credentials may be sent to this origin only */
  trustedOrigin: string
  headers: Headers
  credentials: { user: string; password: string } | null
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
  const { url, proxy, range } = request
  const trusted = url.origin === request.trustedOrigin
  const own = trusted ? checkHeaders(request.headers) : []
  const has = (name: string) => own.some(([given]) => given.toLowerCase() === name)
  const target = `${url.pathname}${url.search}`
  const lines = [`GET ${proxy === null ? target : `${url.origin}${target}`} HTTP/1.1`, `Host: ${url.host}`]
  if (!has('user-agent')) lines.push(`User-Agent: ${ownUserAgent(request.headers) ?? userAgent}`)
  if (!has('accept')) lines.push('Accept: */*')
  // Anything but identity could change what byte offsets mean.
  lines.push('Accept-Encoding: identity')
  if (range !== null) lines.push(`Range: bytes=${range.start}-${range.end === null ? '' : range.end - 1}`)
  if (range !== null && request.ifRange !== null) lines.push(`If-Range: ${request.ifRange}`)
  if (trusted && request.credentials !== null && !has('authorization')) {
    lines.push(`Authorization: ${basicCredentials(request.credentials)}`)
  }
  if (proxy !== null && proxy.credentials !== null) {
    lines.push(`Proxy-Authorization: ${basicCredentials(proxy.credentials)}`)
  }
  const given = own.filter(([name]) => name.toLowerCase() === 'cookie').map(([, value]) => wire(value))
  const cookies = [...given, request.cookies].filter((value) => value !== '').join('; ')
  if (cookies !== '') lines.push(`Cookie: ${cookies}`)
  for (const [name, value] of own) {
    if (name.toLowerCase() !== 'cookie') lines.push(`${name}: ${wire(value)}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** The user agent is no secret: a changed one goes to every origin, as hosts compare it along a chain. */
function ownUserAgent(headers: Headers): string | null {
  const own = checkHeaders(headers).find(([name]) => name.toLowerCase() === 'user-agent')
  return own === undefined ? null : wire(own[1])
}
