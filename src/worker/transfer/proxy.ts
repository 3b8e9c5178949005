/** Which proxy a request goes through, and the handshakes with it. A proxy is never bypassed by itself. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { isIP } from 'node:net'
import { SluiceError } from '../../shared/errors.ts'
import { parseResponseHead, findHeadEnd } from './response-head.ts'
import { networkTrouble, trouble } from './trouble.ts'

export interface Proxy {
  readonly kind: 'http' | 'socks5'
  /** TLS to the proxy itself */
  readonly secure: boolean
  readonly host: string
  readonly port: number
  readonly credentials: { user: string; password: string } | null
}

/** Where a request wants to go. */
export interface Destination {
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly port: number
}

/** Reads `[scheme://][user:password@]host[:port]`; without a scheme it is an HTTP proxy. Throws `INVALID_INPUT`. */
export function parseProxy(text: string): Proxy {
  const bad = () =>
    new SluiceError('INVALID_INPUT', 'The proxy address cannot be used', {
      hint: 'Give it as http://host:port, https://host:port or socks5://host:port.',
    })
  let url: URL
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  } catch {
    throw bad()
  }
  const kinds = { 'http:': 'http', 'https:': 'http', 'socks5:': 'socks5', 'socks5h:': 'socks5' } as const
  const kind = Object.entries(kinds).find(([scheme]) => scheme === url.protocol)?.[1]
  if (kind === undefined || url.hostname === '') throw bad()
  const secure = url.protocol === 'https:'
  return {
    kind,
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (kind === 'socks5' ? 1080 : secure ? 443 : 80) : Number(url.port),
    credentials:
      url.username === '' ? null : { user: decoded(url.username), password: decoded(url.password) },
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host)
}

function bypasses(list: string, host: string, port: number): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const [name = '', entryPort] = entry.toLowerCase().split(/:(?=\d+$)/)
    if (name === '' || (entryPort !== undefined && Number(entryPort) !== port)) return false
    const bare = name.replace(/^\*?\./, '')
    return name === '*' || host === bare || host.endsWith(`.${bare}`)
  })
}

/**
 * The proxy for a destination: the task's own, else the environment's (`http_proxy`, `https_proxy`, `all_proxy`,
 * `no_proxy`; loopback is never sent through it). null: connect directly.
 */
export function proxyFor(
  destination: Destination,
  ofTask: string | null,
  environment: Readonly<Record<string, string | undefined>>,
): Proxy | null {
  if (ofTask !== null && ofTask !== '') return parseProxy(ofTask)
  const read = (name: string) => environment[name] ?? environment[name.toUpperCase()] ?? ''
  const text = read(`${destination.scheme}_proxy`) || read('all_proxy')
  const host = destination.host.toLowerCase()
  if (text === '' || isLoopbackName(host) || bypasses(read('no_proxy'), host, destination.port)) return null
  return parseProxy(text)
}

export function basicCredentials(credentials: { user: string; password: string }): string {
  return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`, 'utf8').toString('base64')}`
}

export function hostAndPort(destination: Pick<Destination, 'host' | 'port'>): string {
  return isIP(destination.host) === 6
    ? `[${destination.host}]:${destination.port}`
    : `${destination.host}:${destination.port}`
}

/** Resolves when there may be more to read, or nothing ever will be. */
async function readable(socket: Socket): Promise<void> {
  const settled = new AbortController()
  const options = { signal: settled.signal }
  const events = ['readable', 'end', 'close'].map((name) => once(socket, name, options))
  // Those that lose are aborted, which is their only rejection but for an error of the socket.
  await Promise.race(events).finally(() => {
    for (const event of events) event.catch(() => null)
    settled.abort()
  })
}

/** Reads exactly what a handshake needs from a paused socket; the rest is put back. */
class HandshakeReader {
  #bytes = Buffer.alloc(0)
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
  }

  async take(enough: (bytes: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const count = enough(this.#bytes)
      if (count >= 0) {
        const taken = this.#bytes.subarray(0, count)
        const rest = this.#bytes.subarray(count)
        this.#bytes = Buffer.alloc(0)
        if (rest.length > 0) this.#socket.unshift(rest)
        return taken
      }
      if (this.#bytes.length > 64 * 1024) throw proxyTrouble('sent too much')
      const more = this.#socket.read() as Buffer | null
      if (more !== null) this.#bytes = Buffer.concat([this.#bytes, more])
      else if (this.#socket.readableEnded || this.#socket.destroyed)
        throw proxyTrouble('closed the connection')
      else await readable(this.#socket)
    }
  }

  exactly(count: number): Promise<Buffer> {
    return this.take((bytes) => (bytes.length >= count ? count : -1))
  }
}

function proxyTrouble(what: string) {
  return trouble('retry', 'NETWORK_ERROR', `The proxy ${what}`, {
    hint: 'Check the proxy; what arrived is kept.',
    details: { proxy: true },
  })
}

export function proxyRefusedCredentials() {
  return trouble('permanent', 'AUTH_FAILED', 'The proxy asks for another user name and password', {
    hint: 'Correct the name and password in the proxy setting.',
    details: { proxy: true },
  })
}

/** Opens a tunnel through a connected proxy socket. Throws `Trouble`; the socket then is the caller's to close. */
export async function openTunnel(socket: Socket, proxy: Proxy, destination: Destination): Promise<void> {
  try {
    if (proxy.kind === 'http') await openHttpTunnel(socket, proxy, destination)
    else await openSocksTunnel(socket, proxy, destination)
  } catch (thrown) {
    throw networkTrouble(thrown, proxy.host)
  }
}

async function openHttpTunnel(socket: Socket, proxy: Proxy, destination: Destination): Promise<void> {
  const target = hostAndPort(destination)
  const credentials =
    proxy.credentials === null ? '' : `Proxy-Authorization: ${basicCredentials(proxy.credentials)}\r\n`
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`)
  const head = parseResponseHead(
    await new HandshakeReader(socket).take((bytes) => findHeadEnd(bytes, 0, bytes.length)),
    'CONNECT',
  )
  if (head.status === 407) throw proxyRefusedCredentials()
  if (head.status < 200 || head.status > 299) throw proxyTrouble(`refused the tunnel (${head.status})`)
}

/** RFC 1928, with RFC 1929 for name and password. The proxy looks the name up. */
async function openSocksTunnel(socket: Socket, proxy: Proxy, destination: Destination): Promise<void> {
  const reader = new HandshakeReader(socket)
  socket.write(Buffer.from(proxy.credentials === null ? [5, 1, 0] : [5, 2, 0, 2]))
  const [version, method] = await reader.exactly(2)
  if (version !== 5) throw proxyTrouble('does not speak SOCKS 5')
  if (method === 2 && proxy.credentials !== null) {
    const user = Buffer.from(proxy.credentials.user, 'utf8')
    const password = Buffer.from(proxy.credentials.password, 'utf8')
    socket.write(
      Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
    )
    if ((await reader.exactly(2))[1] !== 0) throw proxyRefusedCredentials()
  } else if (method !== 0) {
    throw proxyRefusedCredentials()
  }
  socket.write(
    Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(destination.host), socksPort(destination.port)]),
  )
  const answer = await reader.exactly(4)
  if (answer[1] !== 0) throw proxyTrouble(`could not reach the host (SOCKS ${answer[1] ?? 0})`)
  const boundLength = answer[3] === 1 ? 4 : answer[3] === 4 ? 16 : ((await reader.exactly(1))[0] ?? 0)
  await reader.exactly(boundLength + 2)
}

function socksPort(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255])
}

function socksAddress(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)])
  const name = Buffer.from(host, 'utf8')
  return Buffer.concat([Buffer.from([3, name.length]), name])
}
