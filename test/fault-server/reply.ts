/** What the fault server answers: a truthful reply made from a resource, then bent as the test says. */
import type { Socket } from 'node:net'
import type { Body } from './body.ts'
import { fixedBody, seededBody } from './body.ts'
import type { SeenRequest } from './request.ts'

/** Header lines; values are written byte by byte (latin1), a Buffer value as it is. */
export type HeaderLines = readonly (readonly [string, string | Buffer])[]

/** How one answer is sent. All byte counts are of the body, from the first byte of this answer. */
export interface Reply {
  status: number
  reason: string
  headers: HeaderLines
  body: Body
  /** slice of the body that is sent: [start, end) */
  start: number
  end: number
  framing: 'length' | 'chunked' | 'close'
  /** Content-Length to announce instead of the true one (framing `length`) */
  announcedLength: number | null
  /** wait before the head */
  delayMs: number
  /** wait between head and body */
  bodyDelayMs: number
  /** rate of this answer, null for as fast as it goes */
  bytesPerSecond: number | null
  /** after this many bytes: FIN, RST, or silence with the connection open */
  breakAfter: { bytes: number; how: 'fin' | 'reset' | 'stall' } | null
  /** bytes flipped while sending, by absolute offset in the body */
  corruptAt: number | null
  /** size of the pieces written to the socket; 1 makes every byte its own write */
  writeSize: number
  /** written after the body, beyond what was announced */
  trailingBytes: Buffer | null
  /** keep the connection for a next request */
  keepAlive: boolean
}

/** Something that a path serves. */
export interface Resource {
  /** generated when a number: that many bytes of `seed` */
  body?: Body | string | Uint8Array
  length?: number
  seed?: number
  /** sent as given, quotes and `W/` included */
  etag?: string
  lastModified?: string
  /** sent as `Date`; none by default */
  date?: string
  contentType?: string
  contentDisposition?: string | Buffer
  headers?: HeaderLines
  /**
   * `yes` answers ranges and says so; `silent` answers them without `Accept-Ranges`; `ignore` sends the whole
   * body with 200; `refuse` says `Accept-Ranges: none` and sends the whole.
   */
  ranges?: 'yes' | 'silent' | 'ignore' | 'refuse'
  framing?: Reply['framing']
  /** per connection */
  bytesPerSecond?: number
  delayMs?: number
  /**
   * Bends single answers: called with the request and its number on this path (from 0); what it returns
   * replaces those fields of the truthful reply. An array gives one change per request, the rest is truthful.
   */
  faults?: Fault[] | ((request: SeenRequest, number: number) => Fault | undefined)
}
export type Fault = Partial<Reply> | undefined

/** Writes whatever it likes to the socket; the connection is kept when it resolves to `keep`. */
export type RawHandler = (request: SeenRequest, socket: Socket) => Promise<'keep' | undefined> | undefined

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'Partial Content',
  416: 'Range Not Satisfiable',
}

/** The body of a resource, made once per request so that tests can change the resource in between. */
export function bodyOf(resource: Resource): Body {
  const { body } = resource
  if (body === undefined) return seededBody(resource.length ?? 0, resource.seed ?? 1)
  return typeof body === 'string' || body instanceof Uint8Array ? fixedBody(body) : body
}

function ifRangeHolds(request: SeenRequest, resource: Resource): boolean {
  const condition = request.headers['if-range']
  if (condition === undefined) return true
  return condition === resource.etag ? !condition.startsWith('W/') : condition === resource.lastModified
}

/** The answer an honest server gives. */
export function truthfulReply(request: SeenRequest, resource: Resource): Reply {
  const body = bodyOf(resource)
  const ranges = resource.ranges ?? 'yes'
  const headers: (readonly [string, string | Buffer])[] = []
  if (resource.date !== undefined) headers.push(['Date', resource.date])
  if (ranges === 'yes') headers.push(['Accept-Ranges', 'bytes'])
  if (ranges === 'refuse') headers.push(['Accept-Ranges', 'none'])
  if (resource.etag !== undefined) headers.push(['ETag', resource.etag])
  if (resource.lastModified !== undefined) headers.push(['Last-Modified', resource.lastModified])
  headers.push(['Content-Type', resource.contentType ?? 'application/octet-stream'])
  if (resource.contentDisposition !== undefined) {
    headers.push(['Content-Disposition', resource.contentDisposition])
  }
  headers.push(...(resource.headers ?? []))
  const reply: Reply = {
    status: 200,
    reason: '',
    headers,
    body,
    start: 0,
    end: body.length,
    framing: resource.framing ?? 'length',
    announcedLength: null,
    delayMs: resource.delayMs ?? 0,
    bodyDelayMs: 0,
    bytesPerSecond: resource.bytesPerSecond ?? null,
    breakAfter: null,
    corruptAt: null,
    writeSize: 64 * 1024,
    trailingBytes: null,
    keepAlive: resource.framing !== 'close' && request.headers['connection'] !== 'close',
  }
  const { range } = request
  const answersRanges = ranges === 'yes' || ranges === 'silent'
  if (range === null || !answersRanges || !ifRangeHolds(request, resource)) return reply
  if (range.start >= body.length) {
    const refused: HeaderLines = [
      ['Content-Range', `bytes */${body.length}`],
      ['Content-Type', 'text/html'],
    ]
    const page = fixedBody('<html>range not satisfiable</html>')
    return {
      ...reply,
      status: 416,
      headers: refused,
      body: page,
      start: 0,
      end: page.length,
      framing: 'length',
    }
  }
  const end = Math.min(body.length, range.end ?? body.length)
  headers.push(['Content-Range', `bytes ${range.start}-${end - 1}/${body.length}`])
  return { ...reply, status: 206, start: range.start, end }
}

/** The head of a reply as bytes, framing headers included. */
export function headBytes(reply: Reply): Buffer {
  const lines: Buffer[] = [
    Buffer.from(
      `HTTP/1.1 ${reply.status} ${reply.reason || (reasons[reply.status] ?? 'Status')}\r\n`,
      'latin1',
    ),
  ]
  const add = (name: string, value: string | Buffer) => {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value
    lines.push(Buffer.from(`${name}: `, 'latin1'), bytes, Buffer.from('\r\n'))
  }
  for (const [name, value] of reply.headers) add(name, value)
  if (reply.framing === 'length') {
    add('Content-Length', String(reply.announcedLength ?? reply.end - reply.start))
  }
  if (reply.framing === 'chunked') add('Transfer-Encoding', 'chunked')
  if (!reply.keepAlive) add('Connection', 'close')
  lines.push(Buffer.from('\r\n'))
  return Buffer.concat(lines)
}
