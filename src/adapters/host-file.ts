/** `host.json` in the data folder: how the command line finds a running host. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deferred, z } from '../shared/validator.ts'
import { SluiceError } from '../shared/errors.ts'
import { startTimeOf } from './process-identity.ts'

const runningHostSchema = deferred(() =>
  z.object({
    pid: z.number().int().positive(),
    /** kernel start time: with the pid it names one process for ever */
    startTime: z.string(),
    /** address that a client on this machine connects to */
    host: z.string(),
    port: z.number().int().min(1).max(65_535),
  }),
)
export type RunningHost = z.infer<typeof runningHostSchema>

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

/**
 * The host that runs with this data folder; null when none does. One that was killed could not take its announcement
 * back, and another program may have its port by now: what counts is that the very process still lives.
 * @throws SluiceError `FORBIDDEN` when the folder is another user's
 */
export async function findHost(dataFolder: string): Promise<RunningHost | null> {
  const host = readAnnouncement(dataFolder)
  if (host === null) return null
  return (await startTimeOf(host.pid)) === host.startTime ? host : null
}

function readAnnouncement(dataFolder: string): RunningHost | null {
  try {
    return runningHostSchema.parse(JSON.parse(readFileSync(hostFile(dataFolder), 'utf8')))
  } catch (error) {
    if (isForbidden(error)) {
      throw new SluiceError('FORBIDDEN', `The data folder ${dataFolder} belongs to another user`, {
        hint: 'Ask as the user that the host runs as.',
        cause: error,
      })
    }
    // no such file, or one that was cut off: nobody announces itself here
    return null
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
}

/** Takes the announcement back. */
export function retractHost(dataFolder: string): void {
  rmSync(hostFile(dataFolder), { force: true })
}
