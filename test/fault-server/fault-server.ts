/**
 * A scripted HTTP server on raw sockets for tests: bytes exactly as said, every request logged, every fault on
 * purpose. Port 0 on loopback, so any number run side by side.
 *
 *     const server = await FaultServer.start()
 *     server.serve('/file.bin', { length: 10_000_000, seed: 7, etag: '"a"' })
 *     server.serve('/cut.bin', { length: 1000, faults: [{ breakAfter: { bytes: 400, how: 'reset' } }] })
 *     await server.until(() => server.bodyBytesSent('/file.bin') > 1_000_000)
 *     server.log.map((request) => request.range)
 *     await server.close()
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { testCertificates } from './certificates.ts'
import type { CertificateName } from './certificates.ts'
import type { HeaderLines, RawHandler, Resource } from './reply.ts'
import { fixedBody } from './body.ts'
import { truthfulReply } from './reply.ts'
import type { SeenRequest } from './request.ts'
import { parseRequest, readHeads } from './request.ts'
import { sendReply } from './send.ts'

export { fixedBody, seededBody, seededBytes, sha256Of } from './body.ts'
export { testCertificates } from './certificates.ts'
export type { Fault, HeaderLines, RawHandler, Resource } from './reply.ts'
export type { SeenRequest } from './request.ts'

export interface FaultServerOptions {
  /** address to listen on, 127.0.0.1 unless said */
  host?: string
  /** 0 (any) unless said: to come back where an earlier server was */
  port?: number
  /** TLS with this certificate of the test authority; none: plain HTTP */
  tls?: CertificateName
  /**
   * What happens to a new connection: `serve` (default), `reset` at once, `mute` (accepted, never answered),
   * or a number: it waits that many ms before it is served.
   */
  onConnection?: (number: number, open: number) => 'serve' | 'reset' | 'mute' | number
}

type Handler = { kind: 'resource'; resource: Resource; count: number } | { kind: 'raw'; handler: RawHandler }

export class FaultServer {
  /** every request in order of arrival */
  readonly log: SeenRequest[] = []
  /** most connections that were open at once */
  mostConnections = 0
  /** connections accepted so far */
  connections = 0
  /** replaced by a test to change what happens to new connections */
  onConnection: NonNullable<FaultServerOptions['onConnection']>
  readonly #server: Server
  readonly #scheme: 'http' | 'https'
  readonly #sockets = new Set<Socket>()
  readonly #handlers = new Map<string, Handler>()
  readonly #waiting = new Set<() => void>()

  private constructor(options: FaultServerOptions) {
    this.onConnection = options.onConnection ?? (() => 'serve')
    this.#scheme = options.tls === undefined ? 'http' : 'https'
    const accept = (socket: Socket) => void this.#serveConnection(socket)
    this.#server =
      options.tls === undefined
        ? createServer({ noDelay: true }, accept)
        : createTlsServer({ ...testCertificates.server(options.tls), ALPNProtocols: ['http/1.1'] }, accept)
    this.#server.on('tlsClientError', () => null)
  }

  /** Listens; the server is closed by `close`, also in the middle of answers. */
  static async start(options: FaultServerOptions = {}): Promise<FaultServer> {
    const server = new FaultServer(options)
    server.#server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    const address = this.#server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }

  /** `http://127.0.0.1:port` and the path; `host` replaces the name, for a second origin on the same server. */
  url(path: string, host?: string): string {
    const name = host ?? (this.#scheme === 'https' ? 'localhost' : '127.0.0.1')
    return `${this.#scheme}://${name}:${this.port}${path}`
  }

  get openConnections(): number {
    return this.#sockets.size
  }

  /** Serves a resource on a path; serving the same path again replaces it from the next request on. */
  serve(path: string, resource: Resource): void {
    const count = this.#handlers.get(path)
    this.#handlers.set(path, {
      kind: 'resource',
      resource,
      count: count?.kind === 'resource' ? count.count : 0,
    })
  }

  /** Lets a handler write raw bytes in answer to requests for a path; `*` catches all others. */
  raw(path: string, handler: RawHandler): void {
    this.#handlers.set(path, { kind: 'raw', handler })
  }

  /** Answers with a redirect; `to` is sent as given, bytes included. */
  redirect(path: string, to: string | Buffer, status = 302, headers: HeaderLines = []): void {
    this.serve(path, {
      body: '',
      ranges: 'ignore',
      faults: () => ({ status, headers: [['Location', to], ...headers] }),
    })
  }

  /** Answers this path with these statuses in order (small HTML bodies), then with the resource. */
  statuses(path: string, statuses: readonly number[], resource: Resource, headers: HeaderLines = []): void {
    const page = fixedBody('<html>an error page</html>')
    this.serve(path, {
      ...resource,
      faults: statuses.map((status) => ({ status, headers, body: page, start: 0, end: page.length })),
    })
  }

  requests(path: string): SeenRequest[] {
    return this.log.filter((request) => request.path === path)
  }

  /** Bytes of body handed to sockets for a path, over all requests. */
  bodyBytesSent(path: string): number {
    return this.requests(path).reduce((sum, request) => sum + request.bodyBytesSent, 0)
  }

  /**
   * Resolves as soon as the condition holds; it is looked at after every event of the server (connection,
   * request, piece of body, close). Rejects after `timeoutMs`.
   */
  until(condition: () => boolean, timeoutMs = 20_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!condition()) return
        clearTimeout(timer)
        this.#waiting.delete(look)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(look)
        reject(new Error(`the server saw no such thing within ${timeoutMs} ms; ${this.log.length} requests`))
      }, timeoutMs)
      this.#waiting.add(look)
      look()
    })
  }

  /** Resets every open connection; the server goes on listening. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look()
  }

  async #serveConnection(socket: Socket): Promise<void> {
    const connection = ++this.connections
    this.#sockets.add(socket)
    this.mostConnections = Math.max(this.mostConnections, this.#sockets.size)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#changed()
    })
    this.#changed()
    const how = this.onConnection(connection, this.#sockets.size)
    if (how === 'reset') socket.resetAndDestroy()
    if (how === 'mute' || how === 'reset') return
    if (typeof how === 'number') await new Promise((resolve) => setTimeout(resolve, how))
    try {
      for await (const head of readHeads(socket)) await this.#answer(head, connection, socket)
    } catch {
      // The client went away in the middle of a request: its own test looks at the log.
    }
    socket.destroy()
  }

  async #answer(head: string, connection: number, socket: Socket): Promise<void> {
    const request = parseRequest(head, this.log.length, connection)
    this.log.push(request)
    this.#changed()
    const handler = this.#handlers.get(request.path) ?? this.#handlers.get('*')
    if (handler?.kind === 'raw') {
      const keep = await handler.handler(request, socket)
      request.outcome = 'complete'
      if (keep !== 'keep') socket.end()
      return
    }
    const resource: Resource = handler?.resource ?? { body: 'no such path', ranges: 'ignore' }
    let reply = truthfulReply(request, resource)
    if (handler === undefined) reply = { ...reply, status: 404, reason: 'Not Found' }
    else {
      const number = handler.count++
      const fault = Array.isArray(resource.faults)
        ? resource.faults[number]
        : resource.faults?.(request, number)
      reply = { ...reply, ...fault }
    }
    request.status = reply.status
    const bodyless = request.method === 'HEAD' || reply.status === 204 || reply.status === 304
    const outcome = await sendReply(socket, reply, bodyless, (count) => {
      request.bodyBytesSent += count
      this.#changed()
    })
    if (outcome !== 'stalled') request.outcome = outcome
    this.#changed()
    if (outcome === 'stalled') await once(socket, 'close')
  }
}
