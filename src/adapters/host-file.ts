/** `host.json` in the data folder: how the command line finds a running host. */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startTimeOf } from './process-identity.ts'

interface RunningHost {
  pid: number
  /** kernel start time: with the pid it names one process for ever */
  startTime: string
  /** address that a client on this machine connects to */
  host: string
  port: number
}

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
