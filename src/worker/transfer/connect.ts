/** Opens a connection to a destination: address rules, racing addresses, proxies, TLS. */
import { isIP, connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { blockedPorts } from './address-rules.ts'
import type { AddressClass } from './address-rules.ts'
import { isOfUnknownAuthority, loadTls } from './authorities.ts'
import type { Engine } from './engine.ts'
import { HttpConnection } from './http-connection.ts'
import type { OnRead } from './http-connection.ts'
import type { Http2Socket } from './http2-sessions.ts'
import { hostAndPort, openTunnel } from './proxy.ts'
import type { Destination, Proxy } from './proxy.ts'
import { isOwnAddress } from './own-address.ts'
import { codeOf, networkTrouble, trouble } from './trouble.ts'

/** Loads it, and the authorities, ahead of the first connection: while a worker waits for its first order. */
export function prepareTls(): void {
  loadTls().createSecureContext()
}

export interface ConnectOptions {
  proxy: Proxy | null
  /** false: only public addresses (a public host led here) */
  mayBePrivate: boolean
  /** take any certificate: the user said so for this host */
  unchecked: boolean
  signal: AbortSignal
}

/** What names one kind of connection in the keep-alive pool. */
export function connectionKey(
  destination: Destination,
  options: Pick<ConnectOptions, 'proxy' | 'mayBePrivate' | 'unchecked'>,
) {
  const { proxy } = options
  const via =
    proxy === null
      ? ''
      : ` via ${proxy.kind} ${proxy.secure ? 'tls ' : ''}${proxy.credentials?.user ?? ''}@${proxy.host}:${proxy.port}`
  const rules = `${options.mayBePrivate ? '' : ' public'}${options.unchecked ? ' unchecked' : ''}`
  return `${destination.scheme} ${hostAndPort(destination)}${via}${rules}`
}

/** Connects; rejects with a `Trouble`, or with the signal's reason when it is aborted. */
export async function connect(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
): Promise<HttpConnection> {
  return withinLimit(engine, destination, options, async (limited) => {
    const connection = new HttpConnection(connectionKey(destination, limited), destination.host, engine.slabs)
    const { proxy } = limited
    if (proxy?.kind === 'http' && destination.scheme === 'http') {
      // TLS to the proxy gives its bytes like any tunnel.
      const onread = proxy.secure ? null : connection.onread
      connection.adopt(await connectToProxy(engine, proxy, limited, onread), proxy.secure ? 'data' : 'onread')
      return connection
    }
    const reached = await reach(engine, destination, limited, 'http/1.1', connection.onread)
    connection.addressClass = reached.addressClass
    connection.agreedToHttp1 = reached.agreed
    connection.adopt(reached.socket, proxy === null ? 'onread' : 'data')
    return connection
  })
}

/** A socket over which a host speaks HTTP/2. Rejects like `connect`, also when the host does not. */
export async function connectHttp2(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
): Promise<Http2Socket> {
  return withinLimit(engine, destination, options, async (limited) => {
    const { socket, addressClass, agreed } = await reach(engine, destination, limited, 'h2', null)
    if (agreed === true) return { socket, addressClass, host: destination.host }
    socket.destroy()
    throw networkTrouble({ code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' }, destination.host)
  })
}

async function withinLimit<T>(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
  act: (limited: ConnectOptions) => Promise<T>,
): Promise<T> {
  if (blockedPorts.has(destination.port)) {
    throw trouble('permanent', 'FORBIDDEN', `Port ${destination.port} is not used for downloads`)
  }
  const { proxy } = options
  if (proxy !== null) {
    if (!options.mayBePrivate && isIP(destination.host) !== 0) {
      refusePrivate(engine, destination.host, [destination.host])
    }
    refuseOwnPort(engine, destination, [destination.host])
  }
  const deadline = AbortSignal.timeout(engine.timings.connectMs)
  const signal = AbortSignal.any([options.signal, deadline])
  const { authorities } = engine
  const isSystemTrusted = authorities.isSystemTrusted
  try {
    return await act({ ...options, signal }).catch((thrown: unknown) => {
      if (isSystemTrusted || !isOfUnknownAuthority(codeOf(thrown))) throw thrown
      authorities.trustSystem()
      return act({ ...options, signal })
    })
  } catch (thrown) {
    options.signal.throwIfAborted()
    if (deadline.aborted) throw networkTrouble({ code: 'ETIMEDOUT' }, destination.host)
    throw networkTrouble(thrown, proxy?.host ?? destination.host, authorities.unusableFile)
  }
}

interface Reached {
  socket: Socket
  addressClass: AddressClass | null
  /** the host agreed to the protocol that was offered; null without TLS */
  agreed: boolean | null
}

/** A socket to the host itself, through a tunnel where there is a proxy, TLS included. */
async function reach(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
  protocol: 'http/1.1' | 'h2',
  onread: OnRead | null,
): Promise<Reached> {
  const { proxy, signal } = options
  const key = connectionKey(destination, options)
  if (proxy !== null) {
    const socket = await tunnel(engine, destination, proxy, options)
    if (destination.scheme === 'http') return { socket, addressClass: null, agreed: null }
    const given = tlsOptions(engine, destination, { ...options, key }, protocol)
    const secure = loadTls().connect({ ...given, socket })
    await secured(engine, secure, key, signal)
    return { socket: secure, addressClass: null, agreed: secure.alpnProtocol === protocol }
  }
  const addresses = await addressesOf(engine, destination.host, signal)
  refuseOwnPort(engine, destination, addresses)
  const allowed = options.mayBePrivate ? addresses : refusePrivate(engine, destination.host, addresses)
  const { staggerMs } = engine.timings
  const at = (host: string) => ({ host, port: destination.port, ...(onread === null ? {} : { onread }) })
  if (destination.scheme === 'http') {
    const { socket, address } = await race(allowed, staggerMs, signal, (host) => connectTcp(at(host)))
    return { socket, addressClass: engine.classify(address), agreed: null }
  }
  const given = tlsOptions(engine, destination, { ...options, key }, protocol)
  const { socket, address } = await race(allowed, staggerMs, signal, (host) =>
    loadTls().connect({ ...given, ...at(host) }),
  )
  await secured(engine, socket, key, signal)
  return { socket, addressClass: engine.classify(address), agreed: socket.alpnProtocol === protocol }
}

async function addressesOf(engine: Engine, host: string, signal: AbortSignal): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(networkTrouble({ code: 'EAI_AGAIN' }, host))
  signal.addEventListener('abort', onAbort)
  try {
    const addresses = await Promise.race([engine.lookup(host), aborted.promise])
    if (addresses.length === 0) throw networkTrouble({ code: 'ENOTFOUND' }, host)
    return addresses
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** The host's own door is no source, whoever gave the link. */
function refuseOwnPort(engine: Engine, { port }: Destination, addresses: readonly string[]): void {
  if (port !== engine.ownPort || !addresses.some(isOwnAddress)) return
  throw trouble('permanent', 'FORBIDDEN', 'The link leads to Sluice itself')
}

/** The public ones of these addresses; refuses when none is. */
function refusePrivate(engine: Engine, host: string, addresses: readonly string[]): readonly string[] {
  const allowed = addresses.filter((address) => engine.classify(address) === 'public')
  if (allowed.length > 0) return allowed
  throw trouble('permanent', 'FORBIDDEN', 'A public host led to a private address', {
    details: { host },
    hint: 'Give the private address itself if you trust it.',
  })
}

/** Addresses in turn by family (RFC 8305): a dead family costs one head start, not a time-out. */
function interleaved(addresses: readonly string[]): string[] {
  const first = isIP(addresses[0] ?? '')
  const preferred = addresses.filter((address) => isIP(address) === first)
  const others = addresses.filter((address) => isIP(address) !== first)
  return preferred
    .flatMap((address, i) => [address, ...others.slice(i, i + 1)])
    .concat(others.slice(preferred.length))
}

/**
 * Happy eyeballs with real racing: the next address is tried beside the earlier ones after the head start or as
 * soon as one fails; the first that connects wins. (Node's own gives up on an address after its head start, so
 * a host that takes longer than that to accept is never reached.)
 */
function race<S extends Socket>(
  addresses: readonly string[],
  staggerMs: number,
  signal: AbortSignal,
  open: (address: string) => S,
): Promise<{ socket: S; address: string }> {
  return new Promise((resolve, reject) => {
    const waiting = interleaved(addresses)
    const trying = new Set<Socket>()
    let timer: NodeJS.Timeout | null = null
    const finish = (winner: Socket | null, act: () => void) => {
      if (timer !== null) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      waiting.length = 0
      for (const socket of trying) if (socket !== winner) socket.destroy()
      act()
    }
    const onAbort = () => finish(null, () => reject(signal.reason as Error))
    const next = () => {
      if (timer !== null) clearTimeout(timer)
      const address = waiting.shift()
      if (address === undefined) return
      const socket = open(address)
      trying.add(socket)
      const onError = (error: Error) => {
        trying.delete(socket)
        if (waiting.length > 0) next()
        else if (trying.size === 0) finish(null, () => reject(error))
      }
      socket.once('error', onError)
      socket.once('connect', () => {
        socket.removeListener('error', onError)
        // Until the winner is adopted, an early reset must not become an uncaught error.
        socket.on('error', () => null)
        finish(socket, () => resolve({ socket, address }))
      })
      if (waiting.length > 0) timer = setTimeout(next, staggerMs)
    }
    if (signal.aborted) {
      reject(signal.reason as Error)
      return
    }
    signal.addEventListener('abort', onAbort)
    next()
  })
}

function tlsOptions(
  engine: Engine,
  destination: Pick<Destination, 'host'>,
  options: Pick<ConnectOptions, 'unchecked'> & { key?: string },
  protocol: 'http/1.1' | 'h2',
): ConnectionOptions {
  const session = options.key === undefined ? undefined : engine.connections.session(options.key)
  const secureContext = engine.authorities.context()
  return {
    ...(isIP(destination.host) === 0 ? { servername: destination.host } : {}),
    ALPNProtocols: [protocol],
    // Never but where the user said so, for this host and this task.
    rejectUnauthorized: !options.unchecked,
    ...(secureContext === undefined ? {} : { secureContext }),
    ...(session === undefined ? {} : { session }),
  }
}

/** Waits until TLS stands and the certificate is accepted; keeps sessions for the next connection. */
function secured(engine: Engine, socket: TLSSocket, key: string, signal: AbortSignal): Promise<void> {
  socket.on('session', (session) => engine.connections.keepSession(key, session))
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.removeListener('error', onError)
      socket.removeListener('close', onClose)
      signal.removeEventListener('abort', onAbort)
      act()
    }
    const fail = (error: Error) =>
      settle(() => {
        socket.on('error', () => null)
        socket.destroy()
        reject(error)
      })
    const onError = (error: Error) => fail(error)
    const onClose = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    const onAbort = () => fail(Object.assign(new Error('aborted'), { code: 'ECONNABORTED' }))
    socket.once('error', onError)
    socket.once('close', onClose)
    signal.addEventListener('abort', onAbort)
    socket.once('secureConnect', () => settle(resolve))
  })
}

/** A socket to the proxy itself. Its certificate is always checked: an exception is for a host, not for what leads there. */
async function connectToProxy(
  engine: Engine,
  proxy: Proxy,
  options: ConnectOptions,
  onread: OnRead | null,
): Promise<Socket> {
  const addresses = await addressesOf(engine, proxy.host, options.signal)
  const at = (host: string) => ({ host, port: proxy.port, ...(onread === null ? {} : { onread }) })
  const { staggerMs } = engine.timings
  if (!proxy.secure) {
    return (await race(addresses, staggerMs, options.signal, (host) => connectTcp(at(host)))).socket
  }
  const given = tlsOptions(engine, proxy, { unchecked: false }, 'http/1.1')
  const { socket } = await race(addresses, staggerMs, options.signal, (host) =>
    loadTls().connect({ ...given, ...at(host) }),
  )
  await secured(engine, socket, `proxy ${hostAndPort(proxy)}`, options.signal)
  return socket
}

async function tunnel(
  engine: Engine,
  destination: Destination,
  proxy: Proxy,
  options: ConnectOptions,
): Promise<Socket> {
  const socket = await connectToProxy(engine, proxy, options, null)
  const onAbort = () => socket.destroy()
  options.signal.addEventListener('abort', onAbort)
  try {
    await openTunnel(socket, proxy, destination)
    return socket
  } catch (thrown) {
    socket.destroy()
    throw thrown
  } finally {
    options.signal.removeEventListener('abort', onAbort)
  }
}
