/** Small proxies for tests: HTTP (CONNECT and absolute form) and SOCKS 5, with an optional name and password. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { testCertificates } from './certificates.ts'

export interface ProxyOptions {
  credentials?: { user: string; password: string }
  /** where names lead, `host` to `host:port`; everything else is taken as it is */
  routes?: Readonly<Record<string, number>>
  /** the connection to the host is cut after this many bytes from it, once */
  cutAfter?: number
  /** TLS to the proxy itself, by the test authority */
  tls?: boolean
  /** answer every tunnel with this instead */
  refuseWith?: number
}

/** A proxy on loopback; `seen` lists what was asked of it, in order. */
export class TestProxy {
  readonly seen: string[] = []
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #options: ProxyOptions
  #cutLeft: number

  private constructor(serve: (proxy: TestProxy, socket: Socket) => Promise<void>, options: ProxyOptions) {
    this.#options = options
    this.#cutLeft = options.cutAfter ?? Number.POSITIVE_INFINITY
    const accept = (socket: Socket) => {
      this.#track(socket)
      serve(this, socket).catch(() => socket.destroy())
    }
    this.#server =
      options.tls === true ? createTlsServer(testCertificates.server('local'), accept) : createServer(accept)
    this.#server.on('tlsClientError', () => null)
  }

  static http(options: ProxyOptions = {}): Promise<TestProxy> {
    return TestProxy.#listen(new TestProxy((proxy, socket) => proxy.#serveHttp(socket), options))
  }

  static socks5(options: ProxyOptions = {}): Promise<TestProxy> {
    return TestProxy.#listen(new TestProxy((proxy, socket) => proxy.#serveSocks(socket), options))
  }

  static async #listen(proxy: TestProxy): Promise<TestProxy> {
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get address(): string {
    const address = this.#server.address()
    return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async #serveHttp(socket: Socket): Promise<void> {
    const { head, rest } = await readUntil(socket, (bytes) => {
      const end = bytes.indexOf('\r\n\r\n')
      return end < 0 ? -1 : end + 4
    })
    const text = head.toString('latin1')
    const [method = '', target = ''] = text.split(' ')
    this.seen.push(`${method} ${target}`)
    const { credentials, refuseWith } = this.#options
    if (credentials !== undefined) {
      const expected = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
      if (!text.includes(`Proxy-Authorization: Basic ${expected}\r\n`)) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
        return
      }
    }
    if (refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\nContent-Length: 0\r\n\r\n`)
      return
    }
    if (method === 'CONNECT') {
      const upstream = await this.#reach(target)
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      this.#join(socket, upstream, rest)
      return
    }
    const url = new URL(target)
    const upstream = await this.#reach(`${url.hostname}:${url.port || 80}`)
    const forwarded = text
      .replace(target, `${url.pathname}${url.search}`)
      .replace(/Proxy-Authorization:.*\r\n/, '')
    upstream.write(forwarded, 'latin1')
    this.#join(socket, upstream, rest)
  }

  async #serveSocks(socket: Socket): Promise<void> {
    const exactly = (count: number) => (bytes: Buffer) => (bytes.length >= count ? count : -1)
    const greeting = await readUntil(socket, (bytes) =>
      bytes.length > 1 && bytes.length >= 2 + (bytes[1] ?? 0) ? 2 + (bytes[1] ?? 0) : -1,
    )
    const { credentials } = this.#options
    if (credentials !== undefined) {
      if (!greeting.head.subarray(2).includes(2)) {
        socket.end(Buffer.from([5, 255]))
        return
      }
      socket.write(Buffer.from([5, 2]))
      const { head } = await readUntil(socket, (bytes) => {
        const userEnd = 2 + (bytes[1] ?? 255)
        const end = userEnd + 1 + (bytes[userEnd] ?? 255)
        return bytes.length >= end ? end : -1
      })
      const userLength = head[1] ?? 0
      const user = head.toString('utf8', 2, 2 + userLength)
      const password = head.toString('utf8', 3 + userLength)
      const good = user === credentials.user && password === credentials.password
      socket.write(Buffer.from([1, good ? 0 : 1]))
      if (!good) {
        socket.end()
        return
      }
    } else {
      socket.write(Buffer.from([5, 0]))
    }
    const { head, rest } = await readUntil(socket, (bytes) => {
      const length = bytes[3] === 1 ? 10 : bytes[3] === 3 ? 7 + (bytes[4] ?? 255) : 22
      return bytes.length >= length ? length : exactly(length)(bytes)
    })
    const host =
      head[3] === 1 ? [...head.subarray(4, 8)].join('.') : head.toString('utf8', 5, head.length - 2)
    const target = `${host}:${head.readUInt16BE(head.length - 2)}`
    this.seen.push(`SOCKS ${target}`)
    const upstream = await this.#reach(target)
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]))
    this.#join(socket, upstream, rest)
  }

  async #reach(target: string): Promise<Socket> {
    const [host = '', port = ''] = target.split(':')
    const upstream = connect(this.#options.routes?.[host] ?? Number(port), '127.0.0.1')
    this.#track(upstream)
    await once(upstream, 'connect')
    return upstream
  }

  #join(client: Socket, upstream: Socket, rest: Buffer): void {
    upstream.write(rest)
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.end())
    upstream.on('data', (bytes: Buffer) => {
      this.#cutLeft -= bytes.length
      if (this.#cutLeft <= 0) {
        this.#cutLeft = Number.POSITIVE_INFINITY
        client.resetAndDestroy()
        return
      }
      if (!client.write(bytes)) {
        upstream.pause()
        client.once('drain', () => upstream.resume())
      }
    })
  }
}

/** Reads until `enough` gives a length; what came beyond it is `rest`. */
async function readUntil(
  socket: Socket,
  enough: (bytes: Buffer) => number,
): Promise<{ head: Buffer; rest: Buffer }> {
  let bytes = Buffer.alloc(0)
  for (;;) {
    const piece = socket.read() as Buffer | null
    if (piece === null) {
      if (socket.destroyed || socket.readableEnded) throw new Error('the client went away')
      const settled = new AbortController()
      const { signal } = settled
      await Promise.race([once(socket, 'readable', { signal }), once(socket, 'close', { signal })])
      settled.abort()
      continue
    }
    bytes = Buffer.concat([bytes, piece])
    const length = enough(bytes)
    if (length >= 0) return { head: bytes.subarray(0, length), rest: bytes.subarray(length) }
  }
}
