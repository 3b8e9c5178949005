/**
 * The HTTP side of the host: limits of sockets, the gates in their order, and behind them the contract and the window.
 * Whatever goes wrong is answered with the one envelope.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import fastifyWebsocket from '@fastify/websocket'
import fastify, { LogController } from 'fastify'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { httpStatusOf, toErrorEnvelope } from '../shared/contract/error-envelope.ts'
import type { Clock } from '../core/ports.ts'
import type { ErrorRecord } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import { sendRefusal } from './answers.ts'
import type { Refusal } from './gates.ts'
import {
  allowedMethods,
  givenSecret,
  hostGate,
  isAllowedOrigin,
  methodAndLengthGate,
  originGate,
  ownNames,
  refusal,
  secretGate,
  sharingHeaders,
} from './gates.ts'
import type { Log } from './log.ts'
import type { ConnectClient } from './network-clients.ts'
import { bindRestApi, restRoutes } from './rest/bind.ts'
import { serveDocuments } from './rest/documents.ts'
import { EventsHub } from './rest/events-hub.ts'
import { bindContractToRpc } from './rpc.ts'
import type { SecretCheck } from './secret-check.ts'
import { maxPayload, SocketTransport } from './socket-transport.ts'
import { serveWindow } from './static-ui.ts'

export interface HttpHostOptions {
  /** address to listen on */
  host: string
  /** 0: any free one */
  port: number
  secrets: SecretCheck
  connect: ConnectClient
  clock: Pick<Clock, 'monotonic'>
  /** folder of the built window, null when there is none */
  windowFolder: string | null
  version: string
  log: Log
  /** origins of other programs (a browser extension) whose pages may ask */
  allowedOrigins: () => readonly string[]
  /** `--debug-api`: what the workers wrote in an attempt, secrets masked */
  workerOutput?: (attemptId: string) => string
}

export interface HttpHost {
  readonly port: number
  /** Ends every WebSocket and every stream of events: their secret is no longer the one. */
  dropClients(): void
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

export const bodyLimit = 1024 * 1024
/** Connections at once, over all clients; what comes beyond is closed before it is read. */
export const maxConnections = 64

/** How long a connection may take to say goodbye when the host stops, in ms. */
const goodbyeMs = 1000

const contentPolicy = "default-src 'none'; frame-ancestors 'none'"
const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** @throws SluiceError `CONFLICT` when the port is in use, `FORBIDDEN` or `INVALID_INPUT` when it cannot be listened on */
export async function startHttpHost(options: HttpHostOptions): Promise<HttpHost> {
  const app = createApp(options)
  const sockets = new SocketTransport({
    connect: options.connect,
    secrets: options.secrets,
    log: options.log,
  })
  const hub = new EventsHub(options.connect)
  const routes = restRoutes(hub)
  const streams = new Set<Readable>()
  const connections = new Set<Socket>()
  app.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  // before the gates: it ends the connection of an upgrade that they refuse
  await app.register(fastifyWebsocket, {
    options: { maxPayload, perMessageDeflate: false },
    preClose: (done) => {
      sockets.close()
      done()
    },
  })
  guard(app, options)
  await app.register(async (open) => {
    open.get('/api/health', () => ({ status: 'ok', version: options.version }))
    open.get('/ws', { websocket: true, onRequest: refuseSocket(sockets) }, (socket, request) => {
      sockets.serve(socket, request.ip)
    })
    serveDocuments(open, routes, options.version)
    if (options.windowFolder !== null) await serveWindow(open, options.windowFolder)
  })
  await app.register((secured, _options, done) => {
    secured.addHook('onRequest', (request, reply, next) => {
      const refused = secretRefusal(request, options.secrets)
      if (refused === null) next()
      else sendRefusal(reply, refused)
    })
    bindContractToRpc(secured, options.connect)
    bindRestApi(secured, { ...options, hub, routes, streams })
    done()
  })
  await listen(app, options)
  app.server.maxConnections = maxConnections
  return {
    port: portOf(app),
    dropClients: () => {
      sockets.dropAll()
      for (const stream of streams) stream.destroy()
    },
    close: async () => {
      const closed = app.close()
      // a client that does not answer our goodbye must not keep us
      const patience = setTimeout(() => {
        for (const socket of connections) socket.destroy()
      }, goodbyeMs)
      await closed
      clearTimeout(patience)
    },
  }
}

function createApp(options: HttpHostOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    requestTimeout: 30_000,
    keepAliveTimeout: 5000,
    forceCloseConnections: true,
    return503OnClosing: false,
    // our own gate answers a missing Host, with the envelope
    http: {
      headersTimeout: 10_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
      connectionsCheckingInterval: 1000,
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, _request, reply) => {
      void sendRefusal(reply, refusal(400, 'INVALID_INPUT', 'The address cannot be read'))
    },
  })
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // many clients say that nothing is JSON; where something is needed, its schema refuses nothing
    if (body === '') done(null, undefined)
    else void parse(request, body.toString(), done)
  })
  return app
}

/** Gates, headers and error answers for every route, the missing ones included. */
function guard(app: FastifyInstance, options: HttpHostOptions): void {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set()
    for (const each of [method].flat()) methods.add(each)
    routes.set(url, methods)
  })
  app.addHook('onRequest', (request, reply, next) => {
    const refused = gateRefusal(request, options, portOf(app))
    if (refused !== null) void sendRefusal(reply, refused)
    else if (request.method === 'OPTIONS') void reply.code(204).send()
    else next()
  })
  app.addHook('onSend', (request, reply, payload, next) => {
    const { origin } = request.headers
    if (origin !== undefined && isAllowedOrigin(origin, options.allowedOrigins()))
      reply.headers(sharingHeaders(origin))
    for (const [name, value] of Object.entries(securityHeaders)) reply.header(name, value)
    if (!reply.hasHeader('Content-Security-Policy')) reply.header('Content-Security-Policy', contentPolicy)
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store')
    next(null, payload)
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(routes, request.url)
    return sendRefusal(
      reply,
      allowed.length === 0
        ? refusal(404, 'INVALID_INPUT', 'There is nothing under this path', undefined, {
            hint: 'Look at the API document for the paths there are.',
          })
        : refusal(405, 'INVALID_INPUT', 'This path does not take this method', { Allow: allowed.join(', ') }),
    )
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    return sendRefusal(reply, refusalOf(error, request, options.log))
  })
}

function gateRefusal(request: FastifyRequest, options: HttpHostOptions, port: number): Refusal | null {
  const facts = {
    method: request.method,
    url: request.url,
    headers: request.headers,
    rawHeaders: request.raw.rawHeaders,
  }
  const names = ownNames(options.host)
  const allowed = options.allowedOrigins()
  const isPage = request.method === 'GET' && (request.url === '/' || request.url === '/index.html')
  return (
    methodAndLengthGate(facts, isAllowedOrigin(request.headers.origin, allowed)) ??
    hostGate(facts, names, port) ??
    originGate(facts, names, port, isPage, allowed) ??
    // the question of a browser before a request carries no secret yet
    (request.is404 && request.method !== 'OPTIONS' ? secretRefusal(request, options.secrets) : null)
  )
}

function secretRefusal(request: FastifyRequest, secrets: SecretCheck): Refusal | null {
  return secretGate(secrets.check(givenSecret(request.headers), request.ip))
}

/** A secret in an address ends up in histories and logs: such a connection is not even tried. */
function refuseSocket(sockets: SocketTransport) {
  return (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
    if (request.url !== '/ws') {
      void sendRefusal(
        reply,
        refusal(400, 'INVALID_INPUT', 'The WebSocket takes nothing in its address', undefined, {
          hint: 'Send the secret as the first message.',
        }),
      )
    } else if (!request.ws) {
      void sendRefusal(
        reply,
        refusal(426, 'INVALID_INPUT', 'This path is a WebSocket', { Upgrade: 'websocket' }),
      )
    } else if (sockets.isFull) {
      void sendRefusal(
        reply,
        refusal(429, 'RATE_LIMITED', 'Too many WebSockets are open', { 'Retry-After': '10' }),
      )
    } else next()
  }
}

const statusesOfTheTransport: Readonly<Record<number, string>> = {
  400: 'The body is no JSON that can be taken',
  413: 'The body is larger than 1 MiB',
  415: 'The body must be JSON (Content-Type: application/json)',
}

function refusalOf(error: FastifyError | SluiceError, request: FastifyRequest, log: Log): Refusal {
  if (error instanceof SluiceError) return { status: httpStatusOf(error.code), error: error.toRecord() }
  const message = 'statusCode' in error ? statusesOfTheTransport[error.statusCode ?? 500] : undefined
  if ('statusCode' in error && message !== undefined)
    return refusal(error.statusCode ?? 400, 'INVALID_INPUT', message)
  log.error({ err: error, path: request.routeOptions.url }, 'A request ended in a fault')
  return refusal(500, 'INTERNAL', 'Something went wrong inside the app')
}

/** Which methods a path takes, for `Allow`; empty when there is no such path. */
function methodsOf(routes: ReadonlyMap<string, ReadonlySet<string>>, url: string): string[] {
  const path = url.replace(/\?.*$/s, '')
  for (const [pattern, methods] of routes) {
    const parts = pattern.split('/')
    const given = path.split('/')
    if (
      parts.length === given.length &&
      parts.every((part, at) => part.startsWith(':') || part === given[at])
    ) {
      return allowedMethods.filter((method) => methods.has(method))
    }
  }
  return []
}

/** A request that Node could not parse never reaches a route. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const broken: ErrorRecord = new SluiceError('INVALID_INPUT', 'The request cannot be read').toRecord()
  const body = JSON.stringify(toErrorEnvelope(broken, new Date().toISOString()))
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

async function listen(app: FastifyInstance, { host, port }: HttpHostOptions): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw listenError(error, host, port)
  }
}

function listenError(cause: unknown, host: string, port: number): SluiceError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return new SluiceError('CONFLICT', `Port ${port} on ${host} is in use by another program`, {
        hint: 'Choose another one with --port, or 0 for any free one.',
        cause,
      })
    case 'EACCES':
      return new SluiceError('FORBIDDEN', `Port ${port} may not be used by this user`, {
        hint: 'Choose a port above 1023 with --port.',
        cause,
      })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new SluiceError('INVALID_INPUT', `This machine has no address ${host}`, {
        hint: 'Choose one of its own addresses with --host.',
        cause,
      })
    default:
      return new SluiceError('INTERNAL', `The port ${port} on ${host} cannot be opened`, { cause })
  }
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
