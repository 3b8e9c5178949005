/** A host that speaks HTTP/2 only, with a deterministic body, ranges, and faults by stream. */
import { once } from 'node:events'
import { constants, createSecureServer } from 'node:http2'
import type {
  Http2SecureServer,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2'
import { seededBytes } from './body.ts'
import { testCertificates } from './certificates.ts'

export interface Http2Resource {
  length: number
  seed?: number
  etag?: string
  /** sent beside the truthful ones; null leaves one out */
  headers?: Readonly<Record<string, string | null>>
  /** what happens to the stream with this number (from 0) after so many bytes of its body */
  faults?: (number: number) => { after: number; how: 'reset' | 'go-away' | 'end' | 'stall' } | undefined
}

export class Http2Server {
  /** headers of every request, in order */
  readonly log: IncomingHttpHeaders[] = []
  /** sessions accepted so far */
  sessions = 0
  readonly #server: Http2SecureServer
  readonly #open = new Set<ServerHttp2Session>()
  resource: Http2Resource

  private constructor(resource: Http2Resource) {
    this.resource = resource
    this.#server = createSecureServer({ ...testCertificates.server('local'), allowHTTP1: false })
    this.#server.on('session', (session) => {
      this.sessions += 1
      this.#open.add(session)
      session.on('error', () => null)
      session.on('close', () => this.#open.delete(session))
    })
    this.#server.on('sessionError', () => null)
    this.#server.on('stream', (stream, headers) => {
      stream.on('error', () => null)
      void this.#answer(stream, headers, this.log.push(headers) - 1)
    })
  }

  static async start(resource: Http2Resource): Promise<Http2Server> {
    const server = new Http2Server(resource)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  url(path = '/f'): string {
    return `https://localhost:${this.port}${path}`
  }

  async close(): Promise<void> {
    for (const session of this.#open) session.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, number: number): Promise<void> {
    const { length, seed = 1, etag, faults } = this.resource
    const asked = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '')
    const start = Number(asked?.[1] ?? 0)
    const end = asked?.[2] ? Math.min(length, Number(asked[2]) + 1) : length
    const truthful: Record<string, string | null> = {
      'content-length': String(end - start),
      'content-range': asked === null ? null : `bytes ${start}-${end - 1}/${length}`,
      etag: etag ?? null,
      ...this.resource.headers,
    }
    const sent = Object.entries(truthful).filter((entry): entry is [string, string] => entry[1] !== null)
    stream.respond({ ':status': asked === null ? 200 : 206, ...Object.fromEntries(sent) })
    const fault = faults?.(number)
    const stop = Math.min(end, start + (fault?.after ?? Number.POSITIVE_INFINITY))
    for (let at = start; at < stop;) {
      const next = Math.min(stop, at + 64 * 1024)
      if (stream.destroyed) return
      if (!stream.write(seededBytes(seed, at, next))) {
        const settled = new AbortController()
        const { signal } = settled
        await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(
          () => null,
        )
        settled.abort()
      }
      at = next
    }
    if (stream.destroyed || fault?.how === 'stall') return
    if (fault?.how === 'reset') stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else if (fault?.how === 'go-away') stream.session?.destroy(undefined, constants.NGHTTP2_NO_ERROR)
    else stream.end()
  }
}
