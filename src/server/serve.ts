/**
 * A start and a stop, in their order: data folder, task service, port, announcement; and back. Nothing listens before
 * the service has reconciled, and nobody finds the host before it listens.
 */
import { watchFile, unwatchFile } from 'node:fs'
import { announceHost, retractHost } from '../adapters/host-file.ts'
import { readOrCreateSecret, readSecret, secretFile } from '../adapters/secret-file.ts'
import type { TaskService } from '../core/service.ts'
import { SluiceError } from '../shared/errors.ts'
import { compose } from './compose.ts'
import { FolderRules } from './folder-rules.ts'
import type { HttpHost } from './http-host.ts'
import { startHttpHost } from './http-host.ts'
import type { Log } from './log.ts'
import { networkClients } from './network-clients.ts'
import type { ServeOptions } from './options.ts'
import { SecretCheck } from './secret-check.ts'
import { windowFolder } from './static-ui.ts'

/** How long runs may take to reach a checkpoint, in ms. */
const stopGraceMs = 5000
/** How soon a secret that was rotated counts, in ms. */
const secretLookMs = 1000

export interface RunningServer {
  /** address that a browser on this machine opens, without the secret */
  readonly address: string
  readonly port: number
  readonly secret: string
  /** whether the window was built and is served */
  readonly hasWindow: boolean
  /** Runs stop at a checkpoint (5 s at most), then everything is closed. Idempotent. */
  stop(): Promise<void>
}

/** @throws SluiceError when the data folder or the port cannot be had */
export async function serve(
  options: ServeOptions,
  about: { version: string; log: Log },
): Promise<RunningServer> {
  const { log } = about
  const folders = new FolderRules(options.downloadRoots)
  const host = await compose({
    dataFolder: options.dataFolder,
    downloadFolder: options.downloadRoots[0],
    version: about.version,
    onFault: (taskId, error) => log.error({ err: error, taskId }, 'A fault inside the app'),
  })
  const { service } = host
  const secret = options.secret ?? readOrCreateSecret(options.dataFolder)
  const secrets = new SecretCheck(secret, host.clock)
  let http: HttpHost
  try {
    await service.start()
    await keepDefaultFolderWithin(service, folders)
    http = await startHttpHost({
      host: options.host,
      port: options.port,
      secrets,
      connect: networkClients(service, folders),
      clock: host.clock,
      windowFolder: windowFolder(),
      version: about.version,
      log,
    })
  } catch (error) {
    await service.stop(stopGraceMs)
    host.release()
    throw error
  }
  const stopWatching = options.secret === null ? followSecret(options.dataFolder, secrets, http) : () => null
  const local = addressFromHere(options.host)
  await announceHost(options.dataFolder, { host: local, port: http.port })
  log.info({ dataFolder: options.dataFolder, downloadRoots: options.downloadRoots }, 'Started')

  const stop = async (): Promise<void> => {
    stopWatching()
    retractHost(options.dataFolder)
    await Promise.all([http.close(), service.stop(stopGraceMs)])
    host.release()
    log.info('Stopped')
  }
  let stopping: Promise<void> | null = null
  return {
    address: `http://${local.includes(':') ? `[${local}]` : local}:${http.port}/`,
    port: http.port,
    secret,
    hasWindow: windowFolder() !== null,
    stop: () => (stopping ??= stop()),
  }
}

/** The stored default may be from a time with other roots. */
async function keepDefaultFolderWithin(service: TaskService, folders: FolderRules): Promise<void> {
  const client = service.connect(() => null)
  try {
    const settings = await client.call('settings.get', {})
    if (!settings.ok) throw SluiceError.fromRecord(settings.error)
    // the core answers this command with the settings
    const { downloadFolder } = settings.value as { downloadFolder: string }
    const isWithin = await folders.confine(downloadFolder).then(
      () => true,
      () => false,
    )
    if (!isWithin) await client.call('settings.set', { downloadFolder: folders.roots[0] })
  } finally {
    client.close()
  }
}

/** `sluice secret --rotate` writes the file; whoever holds the old secret is out within a moment. */
function followSecret(dataFolder: string, secrets: SecretCheck, http: HttpHost): () => void {
  const file = secretFile(dataFolder)
  const look = (): void => {
    const secret = readSecret(dataFolder)
    if (secret === null) return
    secrets.replace(secret)
    http.dropSockets()
  }
  watchFile(file, { interval: secretLookMs, persistent: false }, look)
  return () => unwatchFile(file, look)
}

function addressFromHere(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
