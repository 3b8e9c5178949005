/** The names under which the contract crosses Electron's IPC: one channel a command, one an event. */
import type { CommandName, DesktopCommandName, EventName } from './names.ts'

export const commandChannel = (name: CommandName | DesktopCommandName): string => `sluice:command:${name}`
export const eventChannel = (name: EventName): string => `sluice:event:${name}`
export const watchListChannel = 'sluice:watch-list'
