/**
 * Strict parser of HTTP/1.x response heads (RFC 9112). What is ambiguous is refused, since every leniency in
 * framing is a way to put wrong bytes into a file: no bare CR or LF, no obs-fold, one Content-Length, never
 * together with Transfer-Encoding, only `chunked`.
 */
import { protocolTrouble } from './trouble.ts'

/** Bytes of one head, and header lines in it, beyond which an answer is refused. */
export const maxHeadBytes = 64 * 1024
export const maxHeaderLines = 256

export type Framing =
  { kind: 'none' } | { kind: 'length'; length: number } | { kind: 'chunked' } | { kind: 'close' }

export interface ResponseHead {
  readonly status: number
  /** minor version of HTTP/1.x */
  readonly minor: 0 | 1
  /** lower-case names; values as latin1 strings, one char per byte */
  readonly fields: readonly (readonly [string, string])[]
  readonly framing: Framing
  readonly keepAlive: boolean
}

/** First value of a field, null when it is absent. */
export function fieldOf(head: Pick<ResponseHead, 'fields'>, name: string): string | null {
  return head.fields.find(([field]) => field === name)?.[1] ?? null
}

/** All values of a field, in order. */
export function fieldsOf(head: Pick<ResponseHead, 'fields'>, name: string): string[] {
  return head.fields.filter(([field]) => field === name).map(([, value]) => value)
}

/** Where a head that begins at `from` ends (just after its empty line), or -1 while that has not arrived. */
export function findHeadEnd(bytes: Buffer, from: number, to: number): number {
  const at = bytes.subarray(from, to).indexOf('\r\n\r\n', 0, 'latin1')
  return at < 0 ? -1 : from + at + 4
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
// CR, LF and NUL in a value are dangerous; other controls may stay (RFC 9110 section 5.5), nothing trusts them.
const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\0\r\n]*)$/

/** Parses one head, empty line included. Throws `Trouble` for anything RFC 9112 does not allow. */
export function parseResponseHead(bytes: Buffer, method: 'GET' | 'HEAD' | 'CONNECT'): ResponseHead {
  if (bytes.length > maxHeadBytes) throw protocolTrouble('a head that is too large')
  const text = bytes.toString('latin1')
  if (!text.endsWith('\r\n\r\n')) throw protocolTrouble('a head without an end')
  const lines = text.slice(0, -4).split('\r\n')
  if (lines.length - 1 > maxHeaderLines) throw protocolTrouble('too many header lines')
  const start = statusLine.exec(lines[0] ?? '')
  if (start === null) throw protocolTrouble('an unreadable status line')
  const fields = lines.slice(1).map((line): [string, string] => {
    const match = headerLine.exec(line)
    if (match?.[1] === undefined) throw protocolTrouble('an unreadable header line')
    return [match[1].toLowerCase(), (match[2] ?? '').replace(/[ \t]+$/, '')]
  })
  const minor = start[1] === '0' ? 0 : 1
  const status = Number(start[2])
  return {
    status,
    minor,
    fields,
    framing: framingOf({ fields }, status, minor, method),
    keepAlive: keepsAlive({ fields }, minor),
  }
}

function keepsAlive(head: Pick<ResponseHead, 'fields'>, minor: 0 | 1): boolean {
  const tokens = fieldsOf(head, 'connection').flatMap((value) =>
    value.split(',').map((token) => token.trim().toLowerCase()),
  )
  if (tokens.includes('close')) return false
  return minor === 1 || tokens.includes('keep-alive')
}

/** Message body length, RFC 9112 section 6.3. */
function framingOf(
  head: Pick<ResponseHead, 'fields'>,
  status: number,
  minor: 0 | 1,
  method: 'GET' | 'HEAD' | 'CONNECT',
): Framing {
  const lengths = fieldsOf(head, 'content-length')
  const encodings = fieldsOf(head, 'transfer-encoding')
  if (encodings.length > 0 && lengths.length > 0) {
    throw protocolTrouble('Content-Length together with Transfer-Encoding')
  }
  if (lengths.length > 1) throw protocolTrouble('more than one Content-Length')
  if (encodings.length > 0 && minor === 0) throw protocolTrouble('Transfer-Encoding in HTTP/1.0')
  if (encodings.length > 1 || (encodings[0] !== undefined && !/^chunked$/i.test(encodings[0]))) {
    throw protocolTrouble('a Transfer-Encoding other than chunked')
  }
  const length = lengths[0] === undefined ? null : parseLength(lengths[0])
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return { kind: 'none' }
  if (method === 'CONNECT' && status < 300) return { kind: 'none' }
  if (encodings.length === 1) return { kind: 'chunked' }
  return length === null ? { kind: 'close' } : { kind: 'length', length }
}

/** A Content-Length: digits only and below 2^53. */
function parseLength(value: string): number {
  if (!/^\d{1,16}$/.test(value) || !Number.isSafeInteger(Number(value))) {
    throw protocolTrouble('an unusable Content-Length')
  }
  return Number(value)
}
