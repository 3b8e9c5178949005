/** What every command against a running host has: the host, and where to write. */
import type { ErrorRecord } from '../../shared/errors.ts'
import { tellError } from '../tell-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { plainText } from '../terminal-text.ts'
import type { HostClient } from './host-client.ts'
import { findRunningHost } from './running-host.ts'
import type { FoundHost } from './running-host.ts'

/** Options that all of these commands take. */
export interface ClientOptions {
  dataDir?: string
  json?: boolean
}

export interface Client {
  host: HostClient
  found: FoundHost
  /** one JSON value per line in place of text */
  json: boolean
}

/** @throws NoRunningHost, SluiceError `UNAUTHORIZED` */
export async function connectClient(options: ClientOptions): Promise<Client> {
  const found = await findRunningHost(options.dataDir, process.env)
  // Node's HTTP takes a while to load: a `get` goes without
  const { HostClient } = await import('./host-client.ts')
  return { host: new HostClient(found), found, json: options.json === true }
}

/** One line of text; nothing in it can steer a terminal. */
export function sayLine(text: string): void {
  process.stdout.write(`${plainText(text)}\n`)
}

export function sayJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Tells each refusal; the answer is the exit code. */
export function codeAfter(refused: readonly { about: string; error: ErrorRecord }[]): number {
  for (const { about, error } of refused) tellError(error, about)
  return refused.length === 0 ? exitCodes.whole : exitCodes.notWhole
}
