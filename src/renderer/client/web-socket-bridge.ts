/**
 * The bridge over WebSocket, for a browser that looks at a server. One socket at a time; a lost one is replaced with
 * growing pauses. A call that was sent when the socket broke is answered with an error, never sent again: only the
 * user knows whether a second try is wanted. The watch is the bridge's own and is renewed on each connection.
 *
 * The messages are those of shared/contract/socket-messages.
 */
import type { Answer, Bridge } from '../../shared/contract/bridge.ts'
import type { CommandInput, CommandResult, Commands } from '../../shared/contract/commands.ts'
import type { Events } from '../../shared/contract/events.ts'
import type { EventName } from '../../shared/contract/names.ts'
import type { ServerMessage } from '../../shared/contract/socket-messages.ts'
import type { ErrorRecord } from '../../shared/errors.ts'
import type { ListQuery } from '../../shared/view.ts'

export interface SocketBridgeOptions {
  readonly url: string
  /** makes a socket; `WebSocket` in the window */
  readonly open: (url: string) => WebSocket
  /** 0–1, spreads the tries of several windows */
  readonly random: () => number
}

const firstPauseMs = 300
const longestPauseMs = 10_000

const lost: ErrorRecord = {
  code: 'NETWORK_ERROR',
  message: 'The connection to the app is lost',
  hint: 'It is tried again by itself.',
}

/** How long to wait before the next try: doubles from 0.3 s to 10 s, spread by a quarter. */
export function reconnectPauseMs(failures: number, random: number): number {
  const pause = Math.min(longestPauseMs, firstPauseMs * 2 ** failures)
  return pause * (0.75 + random * 0.5)
}

type EventListener = (event: never) => void

export class WebSocketBridge implements Bridge {
  readonly #options: SocketBridgeOptions
  readonly #pending = new Map<number, (answer: Answer<unknown>) => void>()
  readonly #eventListeners = new Map<string, Set<EventListener>>()
  readonly #connectionListeners = new Set<(connected: boolean) => void>()
  readonly #refusalListeners = new Set<(error: ErrorRecord) => void>()
  #socket: WebSocket | null = null
  /** the host has said welcome */
  #isOpen = false
  #secret: string | null = null
  #watched: ListQuery | null = null
  #nextId = 1
  #failures = 0
  #retryTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: SocketBridgeOptions) {
    this.#options = options
  }

  /** Connects (again) with this secret; `onRefused` tells when the host does not take it. */
  connect(secret: string): void {
    this.#drop()
    this.#secret = secret
    this.retryNow()
  }

  /** Tries at once instead of at the end of the pause. */
  retryNow(): void {
    this.#failures = 0
    this.#start()
  }

  close(): void {
    clearTimeout(this.#retryTimer)
    this.#secret = null
    this.#drop()
  }

  call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<Answer<CommandResult<N>>> {
    // the server answers a command with that command's result
    return this.#ask({ kind: 'call', name, input }) as Promise<Answer<CommandResult<N>>>
  }

  watchList(query: ListQuery | null): Promise<Answer<null>> {
    this.#watched = query
    return this.#ask({ kind: 'watch', query }) as Promise<Answer<null>>
  }

  on<N extends EventName>(name: N, listener: (event: Events[N]) => void): () => void {
    const listeners = this.#eventListeners.get(name) ?? new Set<EventListener>()
    this.#eventListeners.set(name, listeners.add(listener))
    return () => listeners.delete(listener)
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  onRefused(listener: (error: ErrorRecord) => void): () => void {
    this.#refusalListeners.add(listener)
    return () => this.#refusalListeners.delete(listener)
  }

  #start(): void {
    clearTimeout(this.#retryTimer)
    if (this.#secret === null || this.#socket !== null) return
    const hello = JSON.stringify({ kind: 'hello', secret: this.#secret })
    const socket = this.#options.open(this.#options.url)
    this.#socket = socket
    socket.addEventListener('open', () => socket.send(hello))
    socket.addEventListener('message', (event: MessageEvent<string>) => {
      // the server is our own host, proved by its secret: its messages are what the contract says
      if (this.#socket === socket) this.#receive(JSON.parse(event.data) as ServerMessage)
    })
    // an error is always followed by a close
    socket.addEventListener('close', () => {
      if (this.#socket !== socket) return
      this.#drop()
      this.#retryLater()
    })
  }

  #retryLater(): void {
    const pause = reconnectPauseMs(this.#failures++, this.#options.random())
    this.#retryTimer = setTimeout(() => this.#start(), pause)
  }

  #receive(message: ServerMessage): void {
    switch (message.kind) {
      case 'welcome':
        this.#failures = 0
        this.#setOpen(true)
        if (this.#watched !== null) void this.#ask({ kind: 'watch', query: this.#watched })
        return
      case 'refused':
        this.#secret = null
        this.#drop()
        for (const listener of this.#refusalListeners) listener(message.error)
        return
      case 'answer':
        this.#pending.get(message.id)?.(message.answer)
        this.#pending.delete(message.id)
        return
      case 'event':
        // the listeners of a name were registered for that event's type
        for (const listener of this.#eventListeners.get(message.name) ?? []) listener(message.event as never)
    }
  }

  #ask(message: { kind: 'call'; name: string; input: unknown } | { kind: 'watch'; query: unknown }) {
    if (this.#socket === null || !this.#isOpen) {
      return Promise.resolve<Answer<unknown>>({ ok: false, error: lost })
    }
    const id = this.#nextId++
    const answered = new Promise<Answer<unknown>>((resolve) => this.#pending.set(id, resolve))
    this.#socket.send(JSON.stringify({ ...message, id }))
    return answered
  }

  /** Leaves the socket; what was asked over it is answered as lost. */
  #drop(): void {
    const broken = this.#socket
    this.#socket = null
    broken?.close()
    const answers = [...this.#pending.values()]
    this.#pending.clear()
    for (const answer of answers) answer({ ok: false, error: lost })
    this.#setOpen(false)
  }

  #setOpen(isOpen: boolean): void {
    if (this.#isOpen === isOpen) return
    this.#isOpen = isOpen
    for (const listener of this.#connectionListeners) listener(isOpen)
  }
}
