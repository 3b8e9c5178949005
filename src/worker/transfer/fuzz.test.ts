/**
 * Fuzzers of everything that reads bytes from the network or a file of the user's: nothing but the typed set of errors
 * comes out, within bounded time and memory. Half of the inputs are made of the pieces that a parser cares about, half
 * are real ones, mutated. `SLUICE_FUZZ_RUNS` raises the number of runs per target; a failure prints its seed.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../../test/cpu-time.ts'
import { SluiceError } from '../../shared/errors.ts'
import { parseCookiesFile } from '../../shared/cookies-file.ts'
import { checkLink } from '../../shared/link.ts'
import { netrcCredentials } from '../../shared/netrc.ts'
import { dispositionName } from '../files/content-disposition.ts'
import { maxNameBytes, nameFor } from '../files/names.ts'
import { ChainCookies } from './chain-cookies.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import { digestChallenge, parseChallenges } from './digest-auth.ts'
import {
  checksumOf,
  maxRetryAfterMs,
  parseContentRange,
  parseHttpDate,
  parseRetryAfter,
  validatorOf,
} from './header-values.ts'
import { parseProxy } from './proxy.ts'
import { findHeadEnd, parseResponseHead } from './response-head.ts'
import { Trouble } from './trouble.ts'

const numRuns = Number(process.env['SLUICE_FUZZ_RUNS'] ?? 2000)

const anyByte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code))
const noise = fc.string({ unit: anyByte })

/** Pieces that parsers care about, mixed with noise: random strings alone never get past the first character. */
function soup(...pieces: string[]): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.constantFrom(...pieces), noise), { maxLength: 20 })
    .map((parts) => parts.join(''))
}

type Mutation = (text: string) => string

/** A change at a place given as a share of the text, so that it fits texts of any length. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), anyByte).map(([share, byte]): Mutation => (text) => {
    const at = Math.floor(share * text.length)
    return text.slice(0, at) + byte + text.slice(at + 1)
  }),
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), noise).map(([share, more]): Mutation => (text) => {
    const at = Math.floor(share * text.length)
    return text.slice(0, at) + more + text.slice(at)
  }),
  fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3))
    .map(([one, other, times]): Mutation => (text) => {
      // A part taken out, kept, or repeated.
      const [from, to] = [one, other].toSorted().map((share) => Math.floor(share * text.length))
      return text.slice(0, from) + text.slice(from, to).repeat(times) + text.slice(to)
    }),
)

/** Real inputs with up to four changes. */
function mutated(...corpus: string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...corpus), fc.array(mutation, { maxLength: 4 }))
    .map(([text, mutations]) => mutations.reduce((changed, mutate) => mutate(changed), text))
}

/** No input of a target takes longer: far above what any does on a loaded machine, far below what a bad pattern does. */
const longestMs = 1000

function check<T>(input: fc.Arbitrary<T>, property: (input: T) => void): void {
  fc.assert(
    fc.property(input, (given) => {
      expect(
        cpuTimeOf(() => {
          property(given)
        }),
      ).toBeLessThan(longestMs)
    }),
    { numRuns },
  )
}

function only<T>(allowed: (thrown: unknown) => boolean, act: () => T): T | null {
  try {
    return act()
  } catch (thrown) {
    if (!allowed(thrown)) throw thrown
    return null
  }
}
const isTrouble = (thrown: unknown) => thrown instanceof Trouble
const isSluiceError = (thrown: unknown) => thrown instanceof SluiceError

const heads = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "x"\r\n\r\n',
  'HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-4/10\r\nContent-Length: 5\r\nConnection: close\r\n\r\n',
  'HTTP/1.0 301 Moved\r\nLocation: /a\r\nSet-Cookie: a=b; Path=/\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </s>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
]
const dispositions = [
  'attachment; filename="a.tar.gz"',
  'attachment; filename*=UTF-8\'\'%e2%82%ac%20rates.txt; filename="EURO.txt"',
  'inline; filename="=?UTF-8?B?w6nDqC50eHQ=?="',
  'filename=Heze_v1.7z;',
  'attachment; filename="..\\..\\evil.exe"',
]
const cookieFile = [
  '# Netscape HTTP Cookie File',
  '.site.example\tTRUE\t/\tTRUE\t1800000000\tsession\tabc',
  '#HttpOnly_host.example\tFALSE\t/a\tFALSE\t0\tid\tx=y',
].join('\n')
const netrc = 'machine h.example login u password "p w"\nmacdef m\n x\n\ndefault login a password b\n'

describe('fuzzed input', { timeout: 20_000 + numRuns * 4 }, () => {
  it('makes the head parser give a head with one clear framing or a typed error', () => {
    const text = soup(
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.0 206 x\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\r\n',
      '\n',
      ' folded\r\n',
      'A: b\r\n',
      '\0',
    ).map((input) => `HTTP/1.1 200 OK\r\n${input}`)
    check(fc.oneof(text, mutated(...heads)), (input) => {
      const bytes = Buffer.from(input, 'latin1')
      const end = findHeadEnd(bytes, 0, bytes.length)
      const head = only(isTrouble, () => parseResponseHead(end < 0 ? bytes : bytes.subarray(0, end), 'GET'))
      if (head === null) return
      const count = (name: string) => head.fields.filter(([field]) => field === name).length
      expect(count('content-length') + count('transfer-encoding')).toBeLessThanOrEqual(1)
      for (const [, value] of head.fields) expect(value).not.toMatch(/[\r\n\0]/)
      validatorOf(head)
    })
  })

  it('makes the chunked decoder give bytes that fit the input or a typed error', () => {
    const text = soup('5\r\n', '0\r\n', '\r\n', 'a;x=y\r\n', 'hello', 'ffffffffffffff\r\n', '\n', 'T: v\r\n')
    const real = mutated(
      '5\r\nhello\r\n0\r\n\r\n',
      '3;a=b\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nT: v\r\n\r\n',
    )
    check(fc.tuple(fc.oneof(text, real), fc.integer({ min: 1, max: 9 })), ([input, step]) => {
      const bytes = Buffer.from(input, 'latin1')
      const decoder = new ChunkedDecoder()
      only(isTrouble, () => {
        for (let at = 0; at < bytes.length && !decoder.done; at += step) {
          const to = Math.min(bytes.length, at + step)
          const { dataEnd, used } = decoder.decode(bytes, at, to)
          // Plain comparisons: an expectation for every few bytes would take all of the time.
          if (dataEnd < at || dataEnd > to || used > to - at) throw new Error('out of its bounds')
        }
      })
    })
  })

  it('makes Content-Range a sane range or nothing', () => {
    const text = soup('bytes', ' ', '=', '0', '-', '99', '/', '100', '*', '9007199254740993', ',')
    check(fc.oneof(text, mutated('bytes 0-99/100', 'bytes */100', 'bytes=0-9/*')), (input) => {
      const range = parseContentRange(input)
      if (range?.kind !== 'range') return
      expect(range.start).toBeLessThan(range.end)
      expect(range.total ?? range.end).toBeGreaterThanOrEqual(range.end)
      expect(Number.isSafeInteger(range.end)).toBe(true)
    })
  })

  it('makes Retry-After a wait of at most an hour or nothing', () => {
    const text = soup('120', '-1', '99999999999', 'Sun, 06 Nov 1994 08:49:37 GMT', 'GMT', '1e9', '.')
    const real = mutated(
      '120',
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
    )
    check(fc.tuple(fc.oneof(text, real), fc.option(real), fc.integer()), ([value, date, now]) => {
      parseHttpDate(value)
      const ms = parseRetryAfter(value, date, now)
      if (ms === null) return
      expect(ms).toBeGreaterThanOrEqual(0)
      expect(ms).toBeLessThanOrEqual(maxRetryAfterMs)
    })
  })

  it('makes Content-Disposition a safe name or nothing, always one path part', () => {
    const text = soup(
      'attachment',
      '; filename=',
      'filename*=',
      "UTF-8''",
      '%2e%2e%2f',
      '"',
      '\\',
      '..',
      '/',
      '=?UTF-8?B?',
      '?=',
      'CON',
      '\u00e9',
      '.txt',
      '%FF',
      ';',
    )
    check(fc.tuple(fc.oneof(text, mutated(...dispositions)), fc.webUrl()), ([input, url]) => {
      dispositionName(input)
      const name = nameFor({ contentDisposition: input, url, contentType: 'video/mp4' })
      expect(name).toMatch(/^[^/\\\0-\x1f:*?"<>|]+$/)
      expect(['', '.', '..']).not.toContain(name)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxNameBytes)
      expect(name.isWellFormed()).toBe(true)
      expect(name).not.toMatch(/^[-.\s]|[.\s]$/)
    })
  })

  it('makes the link validator give an http(s) URL without credentials or a typed error', () => {
    const text = soup(
      'http://',
      'https:',
      'file:///',
      'javascript:',
      '//',
      '\\\\',
      'user:pass@',
      '[::1]',
      '%',
      'xn--',
      '\t',
      '\n',
      ':99999',
      '127.1',
      '?',
      '#',
    )
    const real = mutated(
      'https://user:p%40ss@h.example:8080/a/b.zip?c=d#e',
      'http://[::1]/x',
      'http://127.1/',
    )
    const input = fc.tuple(fc.oneof(text, real), fc.option(fc.webUrl(), { nil: undefined }))
    check(input, ([link, base]) => {
      const checked = only(isSluiceError, () => checkLink(link, base))
      if (checked === null) return
      const url = new URL(checked.url)
      expect(['http:', 'https:']).toContain(url.protocol)
      expect(url.username + url.password).toBe('')
      expect(url.hostname).not.toBe('')
      expect(checkLink(checked.url).url).toBe(checked.url)
    })
  })

  it('makes a cookie file cookies that can be sent or a typed error', () => {
    const text = soup(
      'a.example',
      '\t',
      'TRUE',
      'FALSE',
      '/',
      '0',
      '1800000000',
      'name',
      '\n',
      '#HttpOnly_',
      '#',
    )
    check(fc.oneof(text, mutated(cookieFile)), (input) => {
      const cookies = only(isSluiceError, () => parseCookiesFile(input, 0)) ?? []
      for (const { domain, path, name, value } of cookies) {
        expect(`${domain}${path}`).toMatch(/^[^/]+\//)
        expect(`${name}=${value}`).not.toMatch(/[\0-\x1f\x7f;]/)
      }
      const jar = new ChainCookies(cookies)
      expect(jar.headerFor(new URL('https://site.example/'), 0)).not.toMatch(/[\r\n]/)
    })
  })

  it('makes a netrc file credentials or nothing', () => {
    const text = soup(
      'machine ',
      'login ',
      'password ',
      'default ',
      'macdef ',
      '"',
      '\\',
      '#',
      '\n',
      'h.example ',
    )
    check(fc.oneof(text, mutated(netrc)), (input) => {
      const credentials = only(isSluiceError, () => netrcCredentials(input, 'h.example'))
      expect(credentials?.user).not.toBe(null)
    })
  })

  it('leaves set cookies, digests, challenges and proxies readable or refused', () => {
    const text = soup(
      'a=b',
      ';',
      'Path=/',
      'Max-Age=0',
      '=',
      'sha-256=:',
      ':',
      'socks5://',
      '@',
      'host:80',
      '%',
      'Digest ',
      'nonce="',
    )
    const real = mutated(
      'a=b; Path=/x; Secure; Max-Age=10',
      'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
      'http://u:p@host:3128',
      'Digest realm="r", nonce="n", qop="auth", Basic realm="x"',
    )
    const url = new URL('http://a.example/x/y')
    check(fc.oneof(text, real), (input) => {
      const cookies = new ChainCookies()
      cookies.keep(url, [input], 0)
      expect(cookies.headerFor(url, 0).length).toBeLessThanOrEqual(input.length)
      const checksum = checksumOf({
        status: 200,
        fields: [
          ['repr-digest', input],
          ['digest', input],
          ['content-md5', input],
        ],
      })
      if (checksum !== null) expect(checksum).toMatch(/^(md5|sha1|sha256|sha512):[0-9a-f]+$/)
      only(isSluiceError, () => parseProxy(input))
      digestChallenge(parseChallenges([input]))
    })
  })

  it('takes no memory with it', () => {
    const before = process.memoryUsage().rss
    for (const piece of [
      'a',
      '"',
      '%41',
      '; filename=',
      '\t',
      '\r\n',
      'machine ',
      '=?UTF-8?B?',
      'Digest ',
      ',',
    ]) {
      const input = piece.repeat(64 * 1024)
      only(isTrouble, () => parseResponseHead(Buffer.from(input, 'latin1'), 'GET'))
      nameFor({ contentDisposition: input, url: 'http://h/', contentType: null })
      only(isSluiceError, () => checkLink(input))
      only(isSluiceError, () => parseCookiesFile(input, 0))
      only(isSluiceError, () => netrcCredentials(input, 'h'))
      parseChallenges([input.slice(0, 64 * 1024)])
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1024 * 1024)
  })
})
