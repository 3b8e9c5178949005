/**
 * Reader of cookie files in the format that browsers' extensions and curl write ("Netscape HTTP Cookie File"): one
 * cookie a line, seven fields with tabs between them. Pure: whoever has the user's leave reads the file.
 */
import { SluiceError } from './errors.ts'
import type { Cookie } from './task/access.ts'
import { maxCookies } from './task/access.ts'

/** Longest file that is taken, in characters. */
export const maxCookiesFileLength = 4 * 1024 * 1024

const httpOnlyMark = '#HttpOnly_'
const lastDateMs = 8_640_000_000_000_000

function refuse(message: string, hint: string): never {
  throw new SluiceError('INVALID_INPUT', message, { hint })
}

/**
 * The cookies of a file that are still good at `nowMs` (ms since 1970); of two with one name, domain and path the
 * later one. Lines that are no cookie (comments, blanks, damaged ones) are left out. Throws `INVALID_INPUT` for a text
 * that is too long, has too many cookies, or has lines but not one cookie among them.
 */
export function parseCookiesFile(text: string, nowMs: number): Cookie[] {
  if (text.length > maxCookiesFileLength) {
    refuse('The cookie file is too large', 'Export the cookies of the sites that are needed only.')
  }
  const cookies = new Map<string, Cookie>()
  let hadCookies = false
  let hadLines = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    const cookie = cookieOfLine(line)
    if (cookie === null) {
      if (line.trim() !== '' && !line.startsWith('#')) hadLines = true
      continue
    }
    hadCookies = true
    const key = JSON.stringify([cookie.domain, cookie.path, cookie.name])
    cookies.delete(key)
    if (cookie.expiresAt === null || cookie.expiresAt > nowMs) cookies.set(key, cookie)
    if (cookies.size > maxCookies) {
      refuse(
        `The cookie file has more than ${maxCookies} cookies`,
        'Export the cookies of the sites that are needed only.',
      )
    }
  }
  if (hadLines && !hadCookies) {
    refuse(
      'The file is no cookie file',
      'Give one in the Netscape format (cookies.txt), as browser extensions export it.',
    )
  }
  return [...cookies.values()]
}

/** Domain, subdomains, path, secure, expiry in seconds (0: end of the session), name, value. */
function cookieOfLine(line: string): Cookie | null {
  const bare = line.startsWith(httpOnlyMark) ? line.slice(httpOnlyMark.length) : line
  if (bare.startsWith('#')) return null
  const fields = bare.split('\t')
  const [domain = '', subdomains = '', path = '', secure = '', expiry = '', name = '', value = ''] = fields
  if (fields.length < 6 || fields.length > 7) return null
  const host = domain.trim().toLowerCase().replace(/^\./, '')
  if (!/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[?[0-9a-f:.]+\]?)$/.test(host) || host.length > 255) return null
  if (!isFlag(subdomains) || !isFlag(secure) || !/^-?\d{1,15}(?:\.\d{1,9})?$/.test(expiry)) return null
  if (!path.startsWith('/') || path.length > 2048) return null
  if (!isSendable(name, value)) return null
  const seconds = Number(expiry)
  return {
    domain: host,
    includesSubdomains: isTrue(subdomains) || domain.trim().startsWith('.'),
    path,
    secure: isTrue(secure),
    name,
    value,
    expiresAt: seconds === 0 ? null : Math.min(Math.max(Math.round(seconds * 1000), -1), lastDateMs),
  }
}

function isFlag(text: string): boolean {
  return /^(?:true|false)$/i.test(text)
}

function isTrue(text: string): boolean {
  return /^true$/i.test(text)
}

/** Nothing that would end a field, a cookie or a header (RFC 6265 section 4.1.1, with the quotes and commas of practice). */
function isSendable(name: string, value: string): boolean {
  if (name.length > 1024 || value.length > 4096) return false
  return /^[\x21-\x3a\x3c\x3e-\x7e]+$/.test(name) && /^[\x20-\x3a\x3c-\x7e\x80-\uffff]*$/.test(value)
}
