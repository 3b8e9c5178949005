/**
 * Cookies that hosts set while one resource is fetched: enough for the "set a cookie, redirect, look for it"
 * dance. Host-only (a Domain attribute is not honoured, so no public-suffix list is needed), bounded, forgotten
 * with the transfer.
 */

interface Cookie {
  host: string
  path: string
  secure: boolean
  name: string
  value: string
}

const mostCookies = 50
const longestCookie = 4096

export class ChainCookies {
  #cookies: Cookie[] = []

  /** Takes the `Set-Cookie` values of an answer from `url`. What cannot be read is dropped. */
  keep(url: URL, setCookie: readonly string[]): void {
    for (const line of setCookie.slice(0, mostCookies)) {
      const [pair = '', ...attributes] = line.split(';')
      const equals = pair.indexOf('=')
      if (line.length > longestCookie || equals <= 0) continue
      const attribute = (name: string) =>
        attributes.map((text) => text.trim()).find((text) => text.toLowerCase().split('=')[0] === name)
      const path = attribute('path')?.slice(5) ?? ''
      const cookie: Cookie = {
        host: url.hostname,
        path: path.startsWith('/') ? path : url.pathname.replace(/[^/]*$/, ''),
        secure: attribute('secure') !== undefined,
        name: pair.slice(0, equals).trim(),
        value: pair.slice(equals + 1).trim(),
      }
      this.#cookies = this.#cookies.filter(
        (old) => old.name !== cookie.name || old.host !== cookie.host || old.path !== cookie.path,
      )
      const maxAge = attribute('max-age')
      if (maxAge !== undefined && Number(maxAge.slice(8)) <= 0) continue
      this.#cookies.push(cookie)
      this.#cookies = this.#cookies.slice(-mostCookies)
    }
  }

  /** Value of the `Cookie` field for a request, '' when there is none to send. */
  headerFor(url: URL): string {
    return this.#cookies
      .filter(
        (cookie) =>
          cookie.host === url.hostname &&
          (!cookie.secure || url.protocol === 'https:') &&
          (url.pathname === cookie.path ||
            url.pathname.startsWith(cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`)),
      )
      .map((cookie) => `${cookie.name}=${cookie.value}`)
      .join('; ')
  }
}
