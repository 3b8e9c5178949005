/**
 * The contract over WebSockets. A connection has to say the secret first; it is bounded in what it sends, in what it
 * has unanswered, and in what it leaves unread. One that reads too slowly loses events and is sent its window anew
 * when it has caught up; one that does not read at all is closed.
 */
import type { WebSocket } from '@fastify/websocket'
import type { Client } from '../core/service.ts'
import type { Answer } from '../shared/contract/bridge.ts'
import type { EventName } from '../shared/contract/names.ts'
import type { ClientMessage, ServerMessage } from '../shared/contract/socket-messages.ts'
import { clientMessageSchema, helloSchema } from '../shared/contract/socket-messages.ts'
import { SluiceError } from '../shared/errors.ts'
import { secretGate } from './gates.ts'
import type { Log } from './log.ts'
import type { ConnectClient } from './network-clients.ts'
import type { SecretCheck } from './secret-check.ts'

/** Bytes of one message, at most. */
export const maxPayload = 1024 * 1024
/** WebSockets at once, over all clients. */
export const maxSockets = 16
/** Calls of one connection that may be unanswered at once. */
export const maxCallsAtOnce = 64

export interface SocketLimits {
  helloTimeoutMs: number
  /** a connection that did not answer the last ping by the next one is gone */
  pingIntervalMs: number
  /** bytes not yet taken by the network beyond which events are left out */
  eventsStopAtBytes: number
  /** bytes not yet taken beyond which the connection is closed */
  closeAtBytes: number
}

const usualLimits: SocketLimits = {
  helloTimeoutMs: 5000,
  pingIntervalMs: 30_000,
  eventsStopAtBytes: 1024 * 1024,
  closeAtBytes: 8 * 1024 * 1024,
}

/** How long a client may take to say goodbye, in ms. */
const goodbyeMs = 1000

/** Close codes of RFC 6455 section 7.4.1 and of the registry. */
const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  policyViolation: 1008,
  tryAgainLater: 1013,
} as const

/** Events that a fresh window makes up for; the others are small and never left out. */
const replaceable: readonly EventName[] = ['tasks.changed', 'tasks.removed', 'list.window', 'stats']

export interface SocketTransportOptions {
  connect: ConnectClient
  secrets: SecretCheck
  log: Log
  limits?: SocketLimits
}

export class SocketTransport {
  readonly #options: SocketTransportOptions
  readonly #limits: SocketLimits
  readonly #connections = new Set<SocketConnection>()

  constructor(options: SocketTransportOptions) {
    this.#options = options
    this.#limits = options.limits ?? usualLimits
  }

  get isFull(): boolean {
    return this.#connections.size >= maxSockets
  }

  serve(socket: WebSocket, address: string): void {
    const connection = new SocketConnection(socket, address, this.#options, this.#limits)
    this.#connections.add(connection)
    socket.once('close', () => this.#connections.delete(connection))
  }

  /** Ends all connections since their secret is no longer the one. */
  dropAll(): void {
    for (const connection of this.#connections)
      connection.close(closeCodes.policyViolation, 'the secret was changed')
  }

  /** Ends all connections since the host goes away. */
  close(): void {
    for (const connection of this.#connections) connection.close(closeCodes.goingAway, 'the host is closing')
  }
}

type Phase =
  | { kind: 'greeting' }
  | { kind: 'open'; client: Client; callsOpen: number; watched: unknown; missedEvents: boolean }
  | { kind: 'closed' }

class SocketConnection {
  readonly #socket: WebSocket
  readonly #address: string
  readonly #options: SocketTransportOptions
  readonly #limits: SocketLimits
  readonly #helloTimer: NodeJS.Timeout
  readonly #pingTimer: NodeJS.Timeout
  #phase: Phase = { kind: 'greeting' }
  #answersPings = true

  constructor(socket: WebSocket, address: string, options: SocketTransportOptions, limits: SocketLimits) {
    this.#socket = socket
    this.#address = address
    this.#options = options
    this.#limits = limits
    this.#helloTimer = setTimeout(
      () => this.#refuse(new SluiceError('UNAUTHORIZED', 'No secret was given in time')),
      limits.helloTimeoutMs,
    )
    this.#pingTimer = setInterval(() => this.#ping(), limits.pingIntervalMs)
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary))
    socket.on('pong', () => (this.#answersPings = true))
    // a flood of pings is answered only as fast as it is read
    socket.on('ping', () => this.#closeWhenUnread())
    socket.once('close', () => this.#ended())
  }

  close(code: number, reason: string): void {
    this.#ended()
    this.#socket.close(code, reason)
    // a client that does not say goodbye in turn would keep the connection
    const patience = setTimeout(() => this.#socket.terminate(), goodbyeMs)
    this.#socket.once('close', () => clearTimeout(patience))
  }

  #ended(): void {
    clearTimeout(this.#helloTimer)
    clearInterval(this.#pingTimer)
    if (this.#phase.kind === 'open') this.#phase.client.close()
    this.#phase = { kind: 'closed' }
  }

  #ping(): void {
    if (!this.#answersPings) {
      this.#socket.terminate()
      return
    }
    this.#answersPings = false
    this.#socket.ping()
  }

  #receive(data: unknown, isBinary: boolean): void {
    if (this.#phase.kind === 'closed') return
    const message = isBinary ? undefined : parseJson(data)
    if (this.#phase.kind === 'greeting') {
      this.#greet(message)
      return
    }
    const parsed = clientMessageSchema.safeParse(message)
    if (!parsed.success) {
      this.close(closeCodes.unsupportedData, 'this is no message of the contract')
      return
    }
    void this.#carryOut(parsed.data, this.#phase)
  }

  #greet(message: unknown): void {
    const hello = helloSchema.safeParse(message)
    const verdict = this.#options.secrets.check(hello.success ? hello.data.secret : undefined, this.#address)
    const refused = secretGate(verdict)
    if (refused !== null) {
      this.#refuse(SluiceError.fromRecord(refused.error))
      return
    }
    clearTimeout(this.#helloTimer)
    // the welcome goes first: what the core sends at once upon connecting follows it
    this.#send({ kind: 'welcome' })
    const client = this.#options.connect((name, event) => {
      this.#sendEvent({ kind: 'event', name, event } as ServerMessage & { kind: 'event' })
    })
    this.#phase = { kind: 'open', client, callsOpen: 0, watched: null, missedEvents: false }
  }

  #refuse(error: SluiceError): void {
    this.#send({ kind: 'refused', error: error.toRecord() })
    this.close(closeCodes.policyViolation, 'refused')
  }

  async #carryOut(message: ClientMessage, open: Phase & { kind: 'open' }): Promise<void> {
    if (open.callsOpen >= maxCallsAtOnce) {
      const error = new SluiceError('RATE_LIMITED', 'Too many calls at once').toRecord()
      this.#answer(message.id, { ok: false, error })
      return
    }
    open.callsOpen++
    try {
      if (message.kind === 'call') {
        this.#answer(message.id, await open.client.call(message.name, message.input))
      } else {
        open.watched = message.query
        this.#answer(message.id, await open.client.watchList(message.query))
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'A WebSocket ended in a fault')
      this.close(closeCodes.tryAgainLater, 'a fault inside the host')
    } finally {
      open.callsOpen--
    }
  }

  #answer(id: number, answer: Answer<unknown>): void {
    if (this.#phase.kind === 'open') this.#send({ kind: 'answer', id, answer })
  }

  #sendEvent(message: ServerMessage & { kind: 'event' }): void {
    if (this.#phase.kind === 'closed') return
    const isLate = this.#socket.bufferedAmount > this.#limits.eventsStopAtBytes
    if (isLate && replaceable.includes(message.name)) {
      if (this.#phase.kind === 'open') this.#phase.missedEvents = true
    } else this.#send(message)
  }

  #send(message: ServerMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(JSON.stringify(message), () => this.#taken())
    this.#closeWhenUnread()
  }

  #closeWhenUnread(): void {
    // a closing handshake would wait behind what is not read
    if (this.#socket.bufferedAmount > this.#limits.closeAtBytes) this.#socket.terminate()
  }

  /** The network took a message: once it took all, what was left out is made up for. */
  #taken(): void {
    if (this.#phase.kind !== 'open' || !this.#phase.missedEvents || this.#socket.bufferedAmount > 0) return
    this.#phase.missedEvents = false
    // the core answers a watch with the whole window, whatever was sent before
    void this.#phase.client.watchList(this.#phase.watched)
  }
}

function parseJson(data: unknown): unknown {
  // ws gives text frames as one Buffer unless told otherwise
  if (!Buffer.isBuffer(data)) return undefined
  try {
    return JSON.parse(data.toString('utf8'))
  } catch {
    // undefined fits no schema, so the caller answers it as any other wrong message
    return undefined
  }
}
