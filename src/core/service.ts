/**
 * The face of the core towards its hosts. A host composes the ports, starts the service, and gives every
 * connection of its transports (a window, a WebSocket, the command line itself) one `Client`.
 */
import type { Answer } from '../shared/contract/bridge.ts'
import type { Events } from '../shared/contract/events.ts'
import type { EventName } from '../shared/contract/names.ts'

/** Sends one event to one connection; must not throw. */
export type SendEvent = <N extends EventName>(name: N, event: Events[N]) => void

/** One connection to the task service. */
export interface Client {
  /**
   * Carries out a command of the contract. The input is validated here, whatever the transport. Unknown
   * commands, inputs that do not fit and refused operations are answers with a typed error; never rejects.
   */
  call(name: string, input: unknown): Promise<Answer<unknown>>
  /** Replaces the connection's window on the list; null (or closing) ends it. */
  watchList(query: unknown): Promise<Answer<null>>
  close(): void
}

export interface TaskService {
  /** Reconciles what the previous life left, then begins to dispatch. Idempotent over crashes in it. */
  start(): Promise<void>
  connect(send: SendEvent): Client
  /** Resolves when nothing runs, stops or waits any more; the command line ends by it. */
  whenIdle(): Promise<void>
  /**
   * Stops every attempt at a checkpoint (request `exit`), waits at most `graceMs`, kills what is left and
   * closes the ports. Tasks stay WAITING or as the start-up policy says.
   */
  stop(graceMs: number): Promise<void>
}
