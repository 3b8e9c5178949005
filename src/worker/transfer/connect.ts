/** Opens a connection to a destination: address rules, racing addresses, proxies, TLS. */
import { isIP, connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls, getCACertificates } from 'node:tls'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { Engine } from './engine.ts'
import { HttpConnection } from './http-connection.ts'
import { hostAndPort, openTunnel } from './proxy.ts'
import type { Destination, Proxy } from './proxy.ts'
import { networkTrouble, trouble } from './trouble.ts'

export interface ConnectOptions {
  proxy: Proxy | null
  /** false: only public addresses (a public host led here) */
  mayBePrivate: boolean
  signal: AbortSignal
}

/** What names one kind of connection in the keep-alive pool. */
export function connectionKey(
  destination: Destination,
  options: Pick<ConnectOptions, 'proxy' | 'mayBePrivate'>,
) {
  const { proxy } = options
  const via =
    proxy === null ? '' : ` via ${proxy.kind} ${proxy.credentials?.user ?? ''}@${proxy.host}:${proxy.port}`
  return `${destination.scheme} ${hostAndPort(destination)}${via}${options.mayBePrivate ? '' : ' public'}`
}

/** Connects; rejects with a `Trouble`, or with the signal's reason when it is aborted. */
export async function connect(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
): Promise<HttpConnection> {
  if (engine.blockedPorts.has(destination.port)) {
    throw trouble('permanent', 'FORBIDDEN', `Port ${destination.port} is not used for downloads`)
  }
  const deadline = AbortSignal.timeout(engine.timings.connectMs)
  const signal = AbortSignal.any([options.signal, deadline])
  try {
    return await connectWithin(engine, destination, { ...options, signal })
  } catch (thrown) {
    options.signal.throwIfAborted()
    if (deadline.aborted) throw networkTrouble({ code: 'ETIMEDOUT' }, destination.host)
    throw networkTrouble(thrown, options.proxy?.host ?? destination.host)
  }
}

async function connectWithin(
  engine: Engine,
  destination: Destination,
  options: ConnectOptions,
): Promise<HttpConnection> {
  const connection = new HttpConnection(connectionKey(destination, options), destination.host, engine.slabs)
  const { proxy } = options
  if (proxy !== null) {
    if (!options.mayBePrivate && isIP(destination.host) !== 0) {
      refusePrivate(engine, destination.host, [destination.host])
    }
    const socket = await connectThroughProxy(engine, destination, proxy, options, connection)
    const plainHttp = proxy.kind === 'http' && destination.scheme === 'http'
    connection.adopt(socket, plainHttp ? 'onread' : 'data')
    return connection
  }
  const addresses = await addressesOf(engine, destination.host, options.signal)
  const allowed = options.mayBePrivate ? addresses : refusePrivate(engine, destination.host, addresses)
  const { staggerMs } = engine.timings
  const at = (host: string) => ({ host, port: destination.port, onread: connection.onread })
  if (destination.scheme === 'http') {
    const { socket, address } = await race(allowed, staggerMs, options.signal, (host) => connectTcp(at(host)))
    connection.addressClass = engine.classify(address)
    connection.adopt(socket, 'onread')
    return connection
  }
  const tls = tlsOptions(engine, destination, connection.key)
  const { socket, address } = await race(allowed, staggerMs, options.signal, (host) =>
    connectTls({ ...tls, ...at(host) }),
  )
  await secured(engine, socket, connection.key, options.signal)
  connection.addressClass = engine.classify(address)
  connection.adopt(socket, 'onread')
  return connection
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

function tlsOptions(engine: Engine, destination: Destination, key: string): ConnectionOptions {
  const session = engine.connections.session(key)
  return {
    ...(isIP(destination.host) === 0 ? { servername: destination.host } : {}),
    ALPNProtocols: ['http/1.1'],
    ...(engine.certificates.length === 0
      ? {}
      : { ca: [...getCACertificates('default'), ...engine.certificates] }),
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

async function connectThroughProxy(
  engine: Engine,
  destination: Destination,
  proxy: Proxy,
  options: ConnectOptions,
  connection: HttpConnection,
): Promise<Socket> {
  const addresses = await addressesOf(engine, proxy.host, options.signal)
  const absoluteForm = proxy.kind === 'http' && destination.scheme === 'http'
  const { socket } = await race(addresses, engine.timings.staggerMs, options.signal, (host) =>
    connectTcp({ host, port: proxy.port, ...(absoluteForm ? { onread: connection.onread } : {}) }),
  )
  if (absoluteForm) return socket
  const onAbort = () => socket.destroy()
  options.signal.addEventListener('abort', onAbort)
  try {
    await openTunnel(socket, proxy, destination)
    if (destination.scheme === 'http') return socket
    const secure = connectTls({ ...tlsOptions(engine, destination, connection.key), socket })
    await secured(engine, secure, connection.key, options.signal)
    return secure
  } catch (thrown) {
    socket.destroy()
    throw thrown
  } finally {
    options.signal.removeEventListener('abort', onAbort)
  }
}
