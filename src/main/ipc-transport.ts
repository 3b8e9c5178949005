/**
 * The contract over Electron's IPC. Every channel of the contract, and no other, gets the same gate: known sender,
 * bounded size, bounded number of calls at once; then the core (or the desktop command) validates and answers.
 * Each page has one `Client`, which ends when the page goes, whatever makes it go.
 */
import type { IpcMain, IpcMainInvokeEvent, WebContents } from 'electron'
import type { Client, TaskService } from '../core/service.ts'
import type { Answer } from '../shared/contract/bridge.ts'
import { commandChannel, eventChannel, watchListChannel } from '../shared/contract/channels.ts'
import { commandNames, desktopCommandNames } from '../shared/contract/names.ts'
import type { DesktopCommandName } from '../shared/contract/names.ts'
import type { ErrorCode } from '../shared/errors.ts'
import { SluiceError } from '../shared/errors.ts'
import { isHeavierThan, maxInputWeight } from './input-size.ts'

/** Calls of one page that may be unanswered at once; the window needs a handful. */
export const maxCallsAtOnce = 256

export interface IpcTransportOptions {
  ipcMain: Pick<IpcMain, 'handle'>
  service: Pick<TaskService, 'connect'>
  /** the service has started: calls wait for it */
  ready: Promise<void>
  /** Carries out a desktop command; never rejects. */
  callDesktop: (name: DesktopCommandName, input: unknown) => Promise<Answer<unknown>>
  isTrusted: (event: IpcMainInvokeEvent) => boolean
  /** A page began to watch the list: it listens to events from now on. */
  onWatching: (contents: WebContents) => void
}

interface Connection {
  client: Client
  callsOpen: number
}

type Operation = (connection: Connection, input: unknown, contents: WebContents) => Promise<Answer<unknown>>

const refusal = (code: ErrorCode, message: string): Answer<never> => ({
  ok: false,
  error: new SluiceError(code, message).toRecord(),
})

export function bindContractToIpc(options: IpcTransportOptions): void {
  const connections = new Map<WebContents, Connection>()

  const connectionOf = (contents: WebContents): Connection => {
    const known = connections.get(contents)
    if (known !== undefined) return known
    const connection = { client: connect(options.service, contents), callsOpen: 0 }
    connections.set(contents, connection)
    endWithPage(contents, () => {
      connections.delete(contents)
      connection.client.close()
    })
    return connection
  }

  const bind = (channel: string, operation: Operation): void => {
    options.ipcMain.handle(channel, async (event, input: unknown): Promise<Answer<unknown>> => {
      if (!options.isTrusted(event)) return refusal('FORBIDDEN', 'This page may not command the app')
      if (isHeavierThan(maxInputWeight, input)) return refusal('INVALID_INPUT', 'The input is too large')
      const connection = connectionOf(event.sender)
      if (connection.callsOpen >= maxCallsAtOnce) return refusal('RATE_LIMITED', 'Too many calls at once')
      connection.callsOpen++
      try {
        await options.ready
        return await operation(connection, input, event.sender)
      } finally {
        connection.callsOpen--
      }
    })
  }

  for (const name of commandNames) bind(commandChannel(name), ({ client }, input) => client.call(name, input))
  for (const name of desktopCommandNames) {
    bind(commandChannel(name), (_connection, input) => options.callDesktop(name, input))
  }
  bind(watchListChannel, async ({ client }, query, contents) => {
    const answer = await client.watchList(query)
    if (answer.ok && query !== null) options.onWatching(contents)
    return answer
  })
}

function connect(service: Pick<TaskService, 'connect'>, contents: WebContents): Client {
  return service.connect((name, event) => {
    if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(eventChannel(name), event)
  })
}

/** Calls `end` once: when the page is replaced (also by itself, reloaded), crashed or closed. */
function endWithPage(contents: WebContents, end: () => void): void {
  const endOnce = (): void => {
    contents.off('did-navigate', endOnce)
    contents.off('render-process-gone', endOnce)
    contents.off('destroyed', endOnce)
    end()
  }
  contents.on('did-navigate', endOnce)
  contents.on('render-process-gone', endOnce)
  contents.on('destroyed', endOnce)
}
