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

export interface SocketBridge extends Bridge {
  /** Connects (again) with this secret; `onRefused` tells when the host does not take it. */
  connect(secret: string): void
  /** Tries at once instead of at the end of the pause. */
  retryNow(): void
  onRefused(listener: (error: ErrorRecord) => void): () => void
  close(): void
}

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

export function createSocketBridge(options: SocketBridgeOptions): SocketBridge {
  const pending = new Map<number, (answer: Answer<unknown>) => void>()
  const eventListeners = new Map<string, Set<(event: never) => void>>()
  const connectionListeners = new Set<(connected: boolean) => void>()
  const refusalListeners = new Set<(error: ErrorRecord) => void>()
  let socket: WebSocket | null = null
  let isOpen = false
  let secret: string | null = null
  let watched: ListQuery | null = null
  let nextId = 1
  let failures = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined

  const setOpen = (open: boolean): void => {
    if (isOpen === open) return
    isOpen = open
    for (const listener of connectionListeners) listener(open)
  }

  const drop = (): void => {
    const broken = socket
    socket = null
    broken?.close()
    const answers = [...pending.values()]
    pending.clear()
    for (const answer of answers) answer({ ok: false, error: lost })
    setOpen(false)
  }

  const send = (message: { kind: string; [field: string]: unknown }): Promise<Answer<unknown>> => {
    if (socket === null || !isOpen) return Promise.resolve({ ok: false, error: lost })
    const id = nextId++
    const answered = new Promise<Answer<unknown>>((resolve) => pending.set(id, resolve))
    socket.send(JSON.stringify({ ...message, id }))
    return answered
  }

  const receive = (message: ServerMessage): void => {
    switch (message.kind) {
      case 'welcome':
        failures = 0
        setOpen(true)
        if (watched !== null) void send({ kind: 'watch', query: watched })
        return
      case 'refused':
        secret = null
        drop()
        for (const listener of refusalListeners) listener(message.error)
        return
      case 'answer':
        pending.get(message.id)?.(message.answer)
        pending.delete(message.id)
        return
      case 'event':
        // the listeners of a name were registered for that event's type
        for (const listener of eventListeners.get(message.name) ?? []) listener(message.event as never)
    }
  }

  const retryLater = (): void => {
    clearTimeout(retryTimer)
    retryTimer = setTimeout(start, reconnectPauseMs(failures++, options.random()))
  }

  function start(): void {
    clearTimeout(retryTimer)
    if (secret === null || socket !== null) return
    const mine = options.open(options.url)
    socket = mine
    mine.addEventListener('open', () => mine.send(JSON.stringify({ kind: 'hello', secret })))
    mine.addEventListener('message', (event: MessageEvent<string>) => {
      // the server is our own host, proved by its secret: its messages are what the contract says
      if (socket === mine) receive(JSON.parse(event.data) as ServerMessage)
    })
    // an error is always followed by a close
    mine.addEventListener('close', () => {
      if (socket !== mine) return
      drop()
      retryLater()
    })
  }

  return {
    connect: (given) => {
      drop()
      secret = given
      failures = 0
      start()
    },
    retryNow: () => {
      failures = 0
      start()
    },
    close: () => {
      clearTimeout(retryTimer)
      secret = null
      drop()
    },
    call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<Answer<CommandResult<N>>> {
      // the server answers a command with that command's result
      return send({ kind: 'call', name, input }) as Promise<Answer<CommandResult<N>>>
    },
    watchList: (query) => {
      watched = query
      return send({ kind: 'watch', query }) as Promise<Answer<null>>
    },
    on<N extends EventName>(name: N, listener: (event: Events[N]) => void): () => void {
      const listeners = eventListeners.get(name) ?? new Set()
      eventListeners.set(name, listeners.add(listener))
      return () => listeners.delete(listener)
    },
    onConnection: (listener) => {
      connectionListeners.add(listener)
      return () => connectionListeners.delete(listener)
    },
    onRefused: (listener) => {
      refusalListeners.add(listener)
      return () => refusalListeners.delete(listener)
    },
  }
}
