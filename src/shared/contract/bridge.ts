/** What the renderer knows of its host: one object, implemented over IPC (preload) and over WebSocket. */
import type { CommandInput, CommandResult, Commands } from './commands.ts'
import type { Events } from './events.ts'
import type { EventName } from './names.ts'
import type { ErrorRecord } from '../errors.ts'
import type { ListQuery } from '../view.ts'

/** Errors cross as data, never as thrown values, so that both transports give the same. */
export type Answer<T> = { ok: true; value: T } | { ok: false; error: ErrorRecord }

export interface Bridge {
  /** Carries out a command in the host. Never rejects: transport faults are answers too. */
  call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<Answer<CommandResult<N>>>
  /** Replaces this client's window on the list; `list.window` and `tasks.changed` follow it. */
  watchList(query: ListQuery | null): Promise<Answer<null>>
  /** Returns the function that ends the subscription. */
  on<N extends EventName>(name: N, listener: (event: Events[N]) => void): () => void
  /** Tells when the connection to the host is lost and back; Electron's is always there. */
  onConnection(listener: (connected: boolean) => void): () => void
}
