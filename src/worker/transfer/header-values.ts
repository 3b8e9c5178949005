/** Values of the response fields that a transfer decides by. Pure; what cannot be read is null, never a throw. */
import type { ResponseHead } from './response-head.ts'
import { fieldOf, fieldsOf } from './response-head.ts'
import type { Validator } from '../../shared/task/resource.ts'

export type ContentRange =
  | { kind: 'range'; start: number; end: number; total: number | null }
  | { kind: 'unsatisfied'; total: number | null }

/**
 * `Content-Range` (RFC 9110 section 14.4), `end` exclusive here. `bytes=0-9/10` and stray spaces are taken too:
 * hosts in the wild send them, and nothing else can be meant.
 */
export function parseContentRange(value: string | null): ContentRange | null {
  if (value === null || value.length > 200) return null
  const match = /^\s*bytes[\s=]\s*(?:(\d{1,16})\s*-\s*(\d{1,16})|\*)\s*\/\s*(\d{1,16}|\*)\s*$/i.exec(value)
  if (match === null) return null
  const total = match[3] === '*' ? null : Number(match[3])
  if (total !== null && !Number.isSafeInteger(total)) return null
  if (match[1] === undefined) return { kind: 'unsatisfied', total }
  const start = Number(match[1])
  const end = Number(match[2]) + 1
  if (!Number.isSafeInteger(end) || start >= end || (total !== null && end > total)) return null
  return { kind: 'range', start, end, total }
}

/** The longest wait that is obeyed. */
export const maxRetryAfterMs = 3_600_000

/**
 * `Retry-After` (RFC 9110 section 10.2.3) in ms: seconds, or a date taken relative to the host's own `Date`
 * where it sent one, so that a wrong clock on either side does not matter. Clamped to one hour.
 */
export function parseRetryAfter(value: string | null, date: string | null, nowMs: number): number | null {
  if (value === null) return null
  const text = value.trim()
  if (/^\d{1,15}$/.test(text)) return Math.min(Number(text) * 1000, maxRetryAfterMs)
  const until = parseHttpDate(text)
  if (until === null) return null
  const from = parseHttpDate(date) ?? nowMs
  return Math.min(Math.max(0, until - from), maxRetryAfterMs)
}

const days = '(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?'
const httpDate = new RegExp(
  `^(?:${days}, \\d{2}[ -][A-Z][a-z]{2}[ -]\\d{2,4} \\d{2}:\\d{2}:\\d{2} GMT|${days} [A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4})$`,
)

/** An HTTP-date in any of the three forms (RFC 9110 section 5.6.7) as ms since 1970. */
export function parseHttpDate(value: string | null): number | null {
  if (value === null || !httpDate.test(value)) return null
  const ms = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(ms) ? null : ms
}

/**
 * What proves later that the resource is the same: a strong ETag, else a Last-Modified that is strong by the
 * Date rule (RFC 9110 section 8.8.2.2: at least one second before the answer was made).
 */
export function validatorOf(head: Pick<ResponseHead, 'fields'>): Validator | null {
  const tags = fieldsOf(head, 'etag')
  const tag = tags[0]
  if (tags.length === 1 && tag !== undefined && /^"[\x21\x23-\x7e\x80-\xff]*"$/.test(tag)) {
    return { kind: 'etag', value: tag }
  }
  const modified = fieldOf(head, 'last-modified')
  const modifiedMs = parseHttpDate(modified)
  const dateMs = parseHttpDate(fieldOf(head, 'date'))
  if (modified === null || modifiedMs === null || dateMs === null) return null
  return dateMs - modifiedMs >= 1000 ? { kind: 'last-modified', value: modified } : null
}

const digestNames: Readonly<Record<string, string>> = {
  md5: 'md5',
  sha: 'sha1',
  'sha-1': 'sha1',
  'sha-256': 'sha256',
  'sha-512': 'sha512',
}
const digestBytes: Readonly<Record<string, number>> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 }
const strength = ['sha512', 'sha256', 'sha1', 'md5']

/**
 * A checksum of the whole representation as `algorithm:hex`: `Repr-Digest` (RFC 9530), `Digest` (RFC 3230) or
 * `Content-MD5`. The strongest one wins. The last is of the content, so it counts only with a whole answer.
 */
export function checksumOf(head: Pick<ResponseHead, 'fields' | 'status'>): string | null {
  const found = new Map<string, string>()
  const add = (name: string, base64: string) => {
    const algorithm = digestNames[name.toLowerCase()]
    if (algorithm === undefined) return
    const bytes = Buffer.from(base64, 'base64')
    if (bytes.length === digestBytes[algorithm]) found.set(algorithm, `${algorithm}:${bytes.toString('hex')}`)
  }
  for (const value of fieldsOf(head, 'repr-digest').join(',').split(',')) {
    const match = /^\s*([a-z0-9-]+)\s*=\s*:([A-Za-z0-9+/=]+):\s*$/.exec(value)
    if (match?.[1] !== undefined && match[2] !== undefined) add(match[1], match[2])
  }
  for (const value of fieldsOf(head, 'digest').join(',').split(',')) {
    const match = /^\s*([A-Za-z0-9-]+)=([A-Za-z0-9+/=]+)\s*$/.exec(value)
    if (match?.[1] !== undefined && match[2] !== undefined) add(match[1], match[2])
  }
  const contentMd5 = fieldOf(head, 'content-md5')
  if (contentMd5 !== null && head.status === 200) add('md5', contentMd5.trim())
  const best = strength.find((algorithm) => found.has(algorithm))
  return best === undefined ? null : (found.get(best) ?? null)
}
