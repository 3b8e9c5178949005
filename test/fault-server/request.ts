/** Reads requests off a raw socket: as little as the fault server needs to know, and every header as it came. */
import type { Socket } from 'node:net'

/** A request as it was seen on the wire, kept in the server's log. */
export interface SeenRequest {
  /** position in the log, from 0 */
  readonly index: number
  /** which connection carried it, from 1 in order of acceptance */
  readonly connection: number
  readonly method: string
  /** request target as sent: path with query, or `host:port` for CONNECT */
  readonly target: string
  /** the target without its query */
  readonly path: string
  /** header lines in order, names as sent */
  readonly headerLines: readonly (readonly [string, string])[]
  /** header values by lower-case name, the last one wins */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** what `Range: bytes=a-b` asked for; end is exclusive and null when open; null without such a header */
  readonly range: { start: number; end: number | null } | null
  /** monotonic ms */
  readonly at: number
  /** bytes of body that were handed to the socket in answer, so far */
  bodyBytesSent: number
  /** status of the answer, 0 before one was sent or when raw bytes were written */
  status: number
  /** how the answer ended */
  outcome: 'open' | 'complete' | 'cut' | 'client-gone'
}

/** `bytes=a-b` or `bytes=a-`; suffix and multiple ranges are null, as no downloader here sends them. */
export function parseRange(value: string | undefined): SeenRequest['range'] {
  const match = /^bytes=(\d+)-(\d*)$/.exec(value ?? '')
  if (match?.[1] === undefined) return null
  return { start: Number(match[1]), end: match[2] ? Number(match[2]) + 1 : null }
}

/** Parses one head (without the empty line) into a log entry; a malformed one gives method ''. */
export function parseRequest(head: string, index: number, connection: number): SeenRequest {
  const [requestLine = '', ...lines] = head.split('\r\n')
  const [method = '', target = ''] = requestLine.split(' ')
  const headerLines = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const headers: Record<string, string> = {}
  for (const [name, value] of headerLines) headers[name.toLowerCase()] = value
  return {
    index,
    connection,
    method,
    target,
    path: target.replace(/\?.*$/s, ''),
    headerLines,
    headers,
    range: parseRange(headers['range']),
    at: performance.now(),
    bodyBytesSent: 0,
    status: 0,
    outcome: 'open',
  }
}

/**
 * Yields the heads that arrive on a socket, one at a time; ends when the socket closes. The socket is read all
 * the while, so that a client that goes away is noticed in the middle of an answer.
 */
export async function* readHeads(socket: Socket): AsyncGenerator<string> {
  let pending = ''
  const heads: string[] = []
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    pending += chunk.toString('latin1')
    for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
      heads.push(pending.slice(0, end))
      pending = pending.slice(end + 4)
    }
    wake()
  })
  socket.on('close', () => wake())
  for (;;) {
    const head = heads.shift()
    if (head !== undefined) yield head
    else if (socket.closed) return
    else await new Promise<void>((resolve) => (wake = resolve))
  }
}
