/**
 * The bridge over IPC, the only thing that the page gets from Electron: `window.sluice`. It knows the contract's
 * names, so no other channel can be reached from the page, and leaves all checking of values to the host.
 */
import { contextBridge, ipcRenderer } from 'electron'
import type { Answer, Bridge } from '../shared/contract/bridge.ts'
import { commandChannel, eventChannel, watchListChannel } from '../shared/contract/channels.ts'
import type { CommandInput, CommandResult, Commands } from '../shared/contract/commands.ts'
import type { Events } from '../shared/contract/events.ts'
import { commandNames, desktopCommandNames, eventNames } from '../shared/contract/names.ts'
import type { EventName } from '../shared/contract/names.ts'
import type { ErrorRecord } from '../shared/errors.ts'
import type { ListQuery } from '../shared/view.ts'

const knownCommands = new Set<string>([...commandNames, ...desktopCommandNames])
const knownEvents = new Set<string>(eventNames)

function refusal(code: ErrorRecord['code'], message: string, hint: string): Answer<never> {
  return { ok: false, error: { code, message, hint } }
}

/** What cannot be sent (a function in the input) and a host that broke off are answers like any other. */
async function invoke<T>(channel: string, input: unknown): Promise<Answer<T>> {
  try {
    // the host answers every channel of ours with an `Answer` of the command's result
    return (await ipcRenderer.invoke(channel, input)) as Answer<T>
  } catch {
    return refusal('INTERNAL', 'The app did not answer', 'Try again; if it happens again, restart the app.')
  }
}

function call<N extends keyof Commands>(name: N, input: CommandInput<N>): Promise<Answer<CommandResult<N>>> {
  if (!knownCommands.has(name)) {
    return Promise.resolve(
      refusal('INVALID_INPUT', 'There is no such command', 'Update the app and try again.'),
    )
  }
  return invoke(commandChannel(name), input)
}

function watchList(query: ListQuery | null): Promise<Answer<null>> {
  return invoke(watchListChannel, query)
}

function on<N extends EventName>(name: N, listener: (event: Events[N]) => void): () => void {
  if (!knownEvents.has(name)) throw new TypeError('There is no such event')
  const channel = eventChannel(name)
  const forward = (_event: unknown, event: Events[N]): void => listener(event)
  ipcRenderer.on(channel, forward)
  return () => {
    ipcRenderer.off(channel, forward)
  }
}

/** The host lives as long as the window. */
function onConnection(): () => void {
  return () => undefined
}

const bridge: Bridge = { call, watchList, on, onConnection }
contextBridge.exposeInMainWorld('sluice', bridge)
