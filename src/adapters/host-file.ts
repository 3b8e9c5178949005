/** `host.json` in the data folder: how the command line finds a running host. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { startTimeOf } from './process-identity.ts'

const hostSchema = z.object({
  pid: z.number().int().positive(),
  /** kernel start time: with the pid it names one process for ever */
  startTime: z.string(),
  /** address that a client on this machine connects to */
  host: z.string(),
  port: z.number().int().min(1).max(65_535),
})
export type RunningHost = z.infer<typeof hostSchema>

const hostFile = (dataFolder: string): string => join(dataFolder, 'host.json')

/** Announces this process as the host of the data folder. */
export async function announceHost(
  dataFolder: string,
  address: { host: string; port: number },
): Promise<void> {
  const startTime = (await startTimeOf(process.pid)) ?? ''
  const host: RunningHost = { pid: process.pid, startTime, ...address }
  const fresh = `${hostFile(dataFolder)}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${JSON.stringify(host)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(fresh, hostFile(dataFolder))
}

/** Takes the announcement back. */
export function retractHost(dataFolder: string): void {
  rmSync(hostFile(dataFolder), { force: true })
}

/** The host that runs on this data folder; null when there is none, or only what a dead one left behind. */
export async function findHost(dataFolder: string): Promise<RunningHost | null> {
  const host = readHost(dataFolder)
  if (host === null) return null
  return (await startTimeOf(host.pid)) === host.startTime ? host : null
}

function readHost(dataFolder: string): RunningHost | null {
  try {
    return hostSchema.parse(JSON.parse(readFileSync(hostFile(dataFolder), 'utf8')))
  } catch {
    // missing, half written by something else, of an older form: no host that can be talked to
    return null
  }
}
