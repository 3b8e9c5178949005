import { describe, expect, it } from 'vitest'
import { ChainCookies } from './chain-cookies.ts'
import { parseProxy, proxyFor } from './proxy.ts'
import type { RequestHead } from './request.ts'
import { requestText } from './request.ts'

const base: RequestHead = {
  url: new URL('http://h.example:8080/a%20b?c=d'),
  trustedOrigin: 'http://h.example:8080',
  headers: [],
  credentials: null,
  authorization: null,
  cookies: '',
  range: null,
  ifRange: null,
  proxy: null,
}

describe('requests', () => {
  it('ask for identity, with range and validator', () => {
    const text = requestText({ ...base, range: { start: 5, end: 10 }, ifRange: '"x"' })
    expect(text).toMatch(/^GET \/a%20b\?c=d HTTP\/1\.1\r\nHost: h\.example:8080\r\n/)
    expect(text).toContain('\r\nAccept-Encoding: identity\r\nRange: bytes=5-9\r\nIf-Range: "x"\r\n')
    expect(text).toMatch(/\r\n\r\n$/)
    expect(requestText({ ...base, range: { start: 5, end: null } })).toContain('Range: bytes=5-\r\n')
  })

  it('B26 keep headers, cookies and credentials from other origins, but not the user agent', () => {
    const secret: RequestHead = {
      ...base,
      headers: [
        ['Authorization', 'Bearer canary'],
        ['Cookie', 'canary=1'],
        ['Referer', 'http://canary/'],
        ['User-Agent', 'Own/1'],
      ],
      credentials: { user: 'canary', password: 'x' },
    }
    expect(requestText(secret)).toContain('Bearer canary')
    const elsewhere = requestText({ ...secret, url: new URL('https://h.example:8080/') })
    expect(elsewhere).not.toContain('canary')
    expect(elsewhere).toContain('User-Agent: Own/1')
  })

  it.each([
    ['a line break in a value', 'X', 'a\r\nHost: evil'],
    ['a line break in a name', 'X\r\nHost', 'a'],
    ['NUL', 'X', 'a\0b'],
    ['Host', 'Host', 'evil'],
    ['Content-Length', 'content-length', '5'],
    ['Transfer-Encoding', 'Transfer-Encoding', 'chunked'],
    ['Connection', 'Connection', 'close'],
    ['Range', 'Range', 'bytes=0-1'],
  ])('B32 C131 refuse headers with %s', (_, name, value) => {
    expect(() => requestText({ ...base, headers: [[name, value]] })).toThrow(/header/)
  })

  it('C050 send credentials as UTF-8', () => {
    const text = requestText({ ...base, credentials: { user: 'user@corp', password: 'p:#s%wörd' } })
    const sent = /Authorization: Basic (\S+)/.exec(text)?.[1] ?? ''
    expect(Buffer.from(sent, 'base64').toString('utf8')).toBe('user@corp:p:#s%wörd')
  })

  it('go to a proxy in absolute form', () => {
    const proxy = parseProxy('user:pass@p.example:3128')
    const text = requestText({ ...base, proxy })
    expect(text).toMatch(/^GET http:\/\/h\.example:8080\/a%20b\?c=d HTTP/)
    expect(text).toContain('Proxy-Authorization: Basic ')
  })
})

describe('cookies of a chain', () => {
  const url = new URL('https://h.example/a/b')
  it('go back to their host and path only', () => {
    const cookies = new ChainCookies()
    cookies.keep(url, ['a=1; Path=/', 'b=2', 'c=3; Path=/other', 'd=4; Secure; Path=/', 'nonsense'], 0)
    expect(cookies.headerFor(url, 0)).toBe('a=1; b=2; d=4')
    expect(cookies.headerFor(new URL('https://h.example/ab'), 0)).toBe('a=1; d=4')
    expect(cookies.headerFor(new URL('http://h.example/a/c'), 0)).toBe('a=1; b=2')
    expect(cookies.headerFor(new URL('https://other.example/a/b'), 0)).toBe('')
  })

  it('B30 are bounded, replaced and removed', () => {
    const cookies = new ChainCookies()
    cookies.keep(
      url,
      Array.from({ length: 10_000 }, (_, i) => `c${i}=${i}; Path=/`),
      0,
    )
    expect(cookies.headerFor(url, 0).split('; ').length).toBe(50)
    cookies.keep(url, ['c0=new; Path=/', 'c1=; Path=/; Max-Age=0', `big=${'x'.repeat(1_000_000)}`], 0)
    expect(cookies.headerFor(url, 0)).toContain('c0=new')
    expect(cookies.headerFor(url, 0)).not.toMatch(/c1=|big=/)
    cookies.keep(
      url,
      ['c2=x; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT', 'c3=x; Path=/; Max-Age=10'],
      1000,
    )
    expect(cookies.headerFor(url, 1000)).not.toContain('c2=')
    expect(cookies.headerFor(url, 10_999)).toContain('c3=x')
    expect(cookies.headerFor(url, 11_001)).not.toContain('c3=')
  })
})

describe('the choice of a proxy', () => {
  const to = (host: string, scheme: 'http' | 'https' = 'https') => ({ scheme, host, port: 443 })
  it('C051 is the task’s own, else the environment’s, never for loopback by environment', () => {
    const environment = { https_proxy: 'p:1', NO_PROXY: '.internal, exact.example:443' }
    expect(proxyFor(to('h.example'), null, environment)).toMatchObject({ kind: 'http', host: 'p', port: 1 })
    expect(proxyFor(to('h.example', 'http'), null, environment)).toBeNull()
    expect(proxyFor(to('a.internal'), null, environment)).toBeNull()
    expect(proxyFor(to('exact.example'), null, environment)).toBeNull()
    expect(proxyFor(to('127.0.0.1'), null, environment)).toBeNull()
    expect(proxyFor(to('127.0.0.1'), 'socks5://q', environment)).toMatchObject({ kind: 'socks5', port: 1080 })
  })

  it('refuses what is no proxy', () => {
    for (const text of ['ftp://x', 'http://', 'socks4://x:1']) expect(() => parseProxy(text)).toThrow(/proxy/)
  })
})
