/**
 * Cookies of one source: those that the user gave, sent where their domain says, and those that hosts set while it is
 * fetched, enough for the "set a cookie, redirect, look for it" dance. The latter are host-only (a Domain attribute is
 * not honoured, so no public-suffix list is needed), bounded, and forgotten with the transfer.
 */
import { isIP } from 'node:net'
import type { Cookie } from '../../shared/task/access.ts'
import { parseHttpDate } from './header-values.ts'

const mostCookies = 50
const longestCookie = 4096

export class ChainCookies {
  readonly #given: readonly Cookie[]
  #set: Cookie[] = []

  constructor(given: readonly Cookie[] = []) {
    // Like headers, they go out as the bytes of their UTF-8; what hosts set is latin1 already.
    this.#given = given.map((cookie) => ({
      ...cookie,
      value: Buffer.from(cookie.value, 'utf8').toString('latin1'),
    }))
  }

  /** Takes the `Set-Cookie` values of an answer from `url`. What cannot be read is dropped, what is over removed. */
  keep(url: URL, setCookie: readonly string[], nowMs: number): void {
    for (const line of setCookie.slice(0, mostCookies)) {
      const [pair = '', ...attributes] = line.split(';')
      const equals = pair.indexOf('=')
      if (line.length > longestCookie || equals <= 0) continue
      const attribute = (name: string) =>
        attributes.map((text) => text.trim()).find((text) => text.toLowerCase().split('=')[0] === name)
      const path = attribute('path')?.slice(5) ?? ''
      const cookie: Cookie = {
        domain: url.hostname,
        includesSubdomains: false,
        path: path.startsWith('/') ? path : url.pathname.replace(/[^/]*$/, ''),
        secure: attribute('secure') !== undefined,
        name: pair.slice(0, equals).trim(),
        value: pair.slice(equals + 1).trim(),
        expiresAt: expiryOf(attribute('max-age')?.slice(8), attribute('expires')?.slice(8), nowMs),
      }
      this.#set = this.#set.filter(
        (old) => old.name !== cookie.name || old.domain !== cookie.domain || old.path !== cookie.path,
      )
      if (cookie.expiresAt !== null && cookie.expiresAt <= nowMs) continue
      this.#set.push(cookie)
      this.#set = this.#set.slice(-mostCookies)
    }
  }

  /**
   * Value of the `Cookie` field for a request as latin1, '' when there is none to send. What the host has set since stands in
   * place of what the user gave under that name.
   */
  headerFor(url: URL, nowMs: number): string {
    const set = this.#set.filter((cookie) => isFor(cookie, url, nowMs))
    const names = new Set(set.map(({ name }) => name))
    const given = this.#given.filter((cookie) => !names.has(cookie.name) && isFor(cookie, url, nowMs))
    return [...given, ...set].map(({ name, value }) => `${name}=${value}`).join('; ')
  }
}

/** `Max-Age` counts before `Expires` (RFC 6265 section 5.3); what cannot be read of either is as if absent. */
function expiryOf(maxAge: string | undefined, expires: string | undefined, nowMs: number): number | null {
  if (maxAge !== undefined && /^-?\d{1,12}$/.test(maxAge.trim())) return nowMs + Number(maxAge) * 1000
  return parseHttpDate(expires?.trim() ?? null)
}

/** RFC 6265 section 5.4: domain, path, security, age. */
function isFor(cookie: Cookie, url: URL, nowMs: number): boolean {
  if (cookie.secure && url.protocol !== 'https:') return false
  if (cookie.expiresAt !== null && cookie.expiresAt <= nowMs) return false
  return isForHost(cookie, url.hostname) && isForPath(cookie.path, url.pathname)
}

function isForHost({ domain, includesSubdomains }: Cookie, host: string): boolean {
  if (host === domain) return true
  return includesSubdomains && isIP(host) === 0 && host.endsWith(`.${domain}`)
}

function isForPath(path: string, requested: string): boolean {
  return requested === path || requested.startsWith(path.endsWith('/') ? path : `${path}/`)
}
