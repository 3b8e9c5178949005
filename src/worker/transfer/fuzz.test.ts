/**
 * Fuzzers of everything that reads bytes from the network: nothing but the typed set of errors comes out, within
 * bounded time. `SLUICE_FUZZ_RUNS` raises the number of runs per target; the seed is printed by a failure.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SluiceError } from '../../shared/errors.ts'
import { checkLink } from '../../shared/link.ts'
import { dispositionName } from '../files/content-disposition.ts'
import { maxNameBytes, nameFor } from '../files/names.ts'
import { ChainCookies } from './chain-cookies.ts'
import { ChunkedDecoder } from './chunked-decoder.ts'
import {
  checksumOf,
  maxRetryAfterMs,
  parseContentRange,
  parseHttpDate,
  parseRetryAfter,
} from './header-values.ts'
import { parseProxy } from './proxy.ts'
import { findHeadEnd, parseResponseHead } from './response-head.ts'
import { Trouble } from './trouble.ts'

const numRuns = Number(process.env['SLUICE_FUZZ_RUNS'] ?? 2000)

/** Pieces that parsers care about, mixed with noise: random strings alone never get past the first character. */
function soup(...pieces: string[]): fc.Arbitrary<string> {
  const noise = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) })
  return fc
    .array(fc.oneof(fc.constantFrom(...pieces), noise), { maxLength: 20 })
    .map((parts) => parts.join(''))
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

describe('fuzzed input', { timeout: 20_000 + numRuns * 2 }, () => {
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
    )
    fc.assert(
      fc.property(text, (input) => {
        const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${input}`, 'latin1')
        const end = findHeadEnd(bytes, 0, bytes.length)
        const head = only(isTrouble, () => parseResponseHead(end < 0 ? bytes : bytes.subarray(0, end), 'GET'))
        if (head === null) return
        const count = (name: string) => head.fields.filter(([field]) => field === name).length
        expect(count('content-length') + count('transfer-encoding')).toBeLessThanOrEqual(1)
        for (const [, value] of head.fields) expect(value).not.toMatch(/[\r\n\0]/)
      }),
      { numRuns },
    )
  })

  it('makes the chunked decoder give bytes that fit the input or a typed error', () => {
    const text = soup('5\r\n', '0\r\n', '\r\n', 'a;x=y\r\n', 'hello', 'ffffffffffffff\r\n', '\n', 'T: v\r\n')
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 9 }), (input, step) => {
        const bytes = Buffer.from(input, 'latin1')
        const decoder = new ChunkedDecoder()
        only(isTrouble, () => {
          for (let at = 0; at < bytes.length && !decoder.done; at += step) {
            const to = Math.min(bytes.length, at + step)
            const { dataEnd, used } = decoder.decode(bytes, at, to)
            expect(dataEnd).toBeGreaterThanOrEqual(at)
            expect(dataEnd).toBeLessThanOrEqual(to)
            expect(used).toBeLessThanOrEqual(to - at)
          }
        })
      }),
      { numRuns },
    )
  })

  it('makes Content-Range a sane range or nothing', () => {
    const text = soup('bytes', ' ', '=', '0', '-', '99', '/', '100', '*', '9007199254740993', ',')
    fc.assert(
      fc.property(text, (input) => {
        const range = parseContentRange(input)
        if (range?.kind !== 'range') return
        expect(range.start).toBeLessThan(range.end)
        expect(range.total ?? range.end).toBeGreaterThanOrEqual(range.end)
        expect(Number.isSafeInteger(range.end)).toBe(true)
      }),
      { numRuns },
    )
  })

  it('makes Retry-After a wait of at most an hour or nothing', () => {
    const text = soup('120', '-1', '99999999999', 'Sun, 06 Nov 1994 08:49:37 GMT', 'GMT', '1e9', '.')
    fc.assert(
      fc.property(text, fc.option(text), fc.integer(), (value, date, now) => {
        const ms = parseRetryAfter(value, date, now)
        if (ms === null) return
        expect(ms).toBeGreaterThanOrEqual(0)
        expect(ms).toBeLessThanOrEqual(maxRetryAfterMs)
        parseHttpDate(value)
      }),
      { numRuns },
    )
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
    fc.assert(
      fc.property(text, fc.webUrl(), (input, url) => {
        dispositionName(input)
        const name = nameFor({ contentDisposition: input, url, contentType: 'video/mp4' })
        expect(name).toMatch(/^[^/\\\0-\x1f:*?"<>|]+$/)
        expect(['', '.', '..']).not.toContain(name)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(maxNameBytes)
        expect(name.isWellFormed()).toBe(true)
        expect(name).not.toMatch(/^[-.\s]|[.\s]$/)
      }),
      { numRuns },
    )
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
    fc.assert(
      fc.property(text, fc.option(fc.webUrl(), { nil: undefined }), (input, base) => {
        const checked = only(isSluiceError, () => checkLink(input, base))
        if (checked === null) return
        const url = new URL(checked.url)
        expect(['http:', 'https:']).toContain(url.protocol)
        expect(url.username + url.password).toBe('')
        expect(url.hostname).not.toBe('')
        expect(checkLink(checked.url).url).toBe(checked.url)
      }),
      { numRuns },
    )
  })

  it('leaves cookies, digests and proxies readable or refused', () => {
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
    )
    const url = new URL('http://a.example/x/y')
    fc.assert(
      fc.property(text, (input) => {
        const cookies = new ChainCookies()
        cookies.keep(url, [input])
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
      }),
      { numRuns },
    )
  })
})
