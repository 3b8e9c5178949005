import { describe, expect, it } from 'vitest'
import {
  checksumOf,
  parseContentRange,
  parseHttpDate,
  parseRetryAfter,
  validatorOf,
} from './header-values.ts'

describe('Content-Range', () => {
  it.each([
    ['bytes 0-9/10', { kind: 'range', start: 0, end: 10, total: 10 }],
    ['bytes=0-9/10', { kind: 'range', start: 0, end: 10, total: 10 }],
    ['  Bytes  5 - 9 / * ', { kind: 'range', start: 5, end: 10, total: null }],
    ['bytes */10', { kind: 'unsatisfied', total: 10 }],
    ['bytes */*', { kind: 'unsatisfied', total: null }],
    ['items 0-9/10', null],
    ['0-9/10', null],
    ['bytes 9-0/10', null],
    ['bytes 0-10/10', null],
    ['bytes -1-9/10', null],
    ['bytes 0-9007199254740993/9007199254740995', null],
    [null, null],
  ])('%s', (value, expected) => {
    expect(parseContentRange(value)).toEqual(expected)
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1)
  it.each([
    ['3', null, 3000],
    ['999999', null, 3_600_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', null, 30_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 'Thu, 01 Jan 2026 00:00:20 GMT', 10_000],
    ['Thu, 01 Jan 2020 00:00:30 GMT', null, 0],
    ['Thu, 01 Jan 2036 00:00:30 GMT', null, 3_600_000],
    ['soon', null, null],
    ['-5', null, null],
    [null, null, null],
  ])('F17 %s beside %s', (value, date, ms) => {
    expect(parseRetryAfter(value, date, now)).toBe(ms)
  })

  it('reads the three forms of dates', () => {
    const ms = Date.UTC(1994, 10, 6, 8, 49, 37)
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(ms)
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(ms)
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994')).toBe(ms)
    expect(parseHttpDate('1994-11-06')).toBeNull()
  })
})

describe('validators', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const earlier = 'Sun, 06 Nov 1994 08:49:30 GMT'
  it.each([
    ['a strong tag', [['etag', '"x"']], { kind: 'etag', value: '"x"' }],
    ['C030 a weak tag proves nothing', [['etag', 'W/"x"']], null],
    [
      'two tags prove nothing',
      [
        ['etag', '"x"'],
        ['etag', '"y"'],
      ],
      null,
    ],
    ['a tag without quotes proves nothing', [['etag', 'x']], null],
    [
      'C030 an old date',
      [
        ['last-modified', earlier],
        ['date', date],
      ],
      { kind: 'last-modified', value: earlier },
    ],
    [
      'C030 a date of the same second',
      [
        ['last-modified', date],
        ['date', date],
      ],
      null,
    ],
    ['a date without a Date', [['last-modified', earlier]], null],
  ] as [string, [string, string][], object | null][])('%s', (_, fields, expected) => {
    expect(validatorOf({ fields })).toEqual(expected)
  })
})

describe('digests that hosts send', () => {
  it('takes the strongest of the whole', () => {
    const sha256 = Buffer.alloc(32, 1)
    const fields: [string, string][] = [
      ['content-md5', Buffer.alloc(16, 2).toString('base64')],
      ['digest', `SHA=${Buffer.alloc(20, 3).toString('base64')}`],
      ['repr-digest', `sha-256=:${sha256.toString('base64')}:, unknown=:AA==:`],
    ]
    expect(checksumOf({ status: 200, fields })).toBe(`sha256:${sha256.toString('hex')}`)
    expect(checksumOf({ status: 206, fields: fields.slice(0, 1) })).toBeNull()
    expect(checksumOf({ status: 200, fields: [['repr-digest', 'sha-256=:AA==:']] })).toBeNull()
  })
})
