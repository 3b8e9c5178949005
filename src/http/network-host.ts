/**
 * The task service on the network, for every host that offers it there: the secret, the port, the announcement by
 * which the command line finds it; and all of that back. Nobody finds the host before it listens.
 */
import { unwatchFile, watchFile } from 'node:fs'
import { announceHost, retractHost } from '../adapters/host-file.ts'
import { readOrCreateSecret, readSecret, secretFile } from '../adapters/secret-file.ts'
import type { Clock } from '../core/ports.ts'
import type { TaskService } from '../core/service.ts'
import type { FolderRules } from './folder-rules.ts'
import { startHttpHost } from './http-host.ts'
import type { HttpHost, HttpHostOptions } from './http-host.ts'
import { AllowedOrigins } from './allowed-origins.ts'
import { networkClients } from './network-clients.ts'
import { SecretCheck } from './secret-check.ts'

/** How soon a secret that was rotated counts, in ms. */
const secretLookMs = 1000

export interface NetworkHostOptions extends Pick<
  HttpHostOptions,
  'host' | 'port' | 'windowFolder' | 'version' | 'log' | 'workerOutput'
> {
  service: Pick<TaskService, 'connect'>
  clock: Pick<Clock, 'monotonic'>
  folders: FolderRules
  /** where the secret and the announcement lie; its lock is the caller's */
  dataFolder: string
  /** origins that may ask beside the one of the settings */
  allowedOrigins?: readonly string[]
  /** null: the one of the data folder, made when there is none, and followed when it is rotated */
  secret: string | null
}

export interface NetworkHost {
  /** address that a browser on this machine opens, without the secret */
  readonly address: string
  readonly port: number
  readonly secret: string
  /** Takes the announcement back and ends every connection; a second call waits for the first. */
  stop(): Promise<void>
}

/** @throws SluiceError `STORAGE_UNAVAILABLE` for the secret; `CONFLICT`, `FORBIDDEN`, `INVALID_INPUT` for the port */
export async function startNetworkHost(options: NetworkHostOptions): Promise<NetworkHost> {
  const { dataFolder } = options
  const secret = options.secret ?? readOrCreateSecret(dataFolder)
  const secrets = new SecretCheck(secret, options.clock)
  const origins = new AllowedOrigins(options.service, options.allowedOrigins ?? [])
  await origins.begin()
  const http = await startHttpHost({
    ...options,
    secrets,
    allowedOrigins: () => origins.all,
    connect: networkClients(options.service, options.folders),
  })
  const stopWatching = options.secret === null ? followSecret(dataFolder, secrets, http) : () => null
  const local = addressFromHere(options.host)
  await announceHost(dataFolder, { host: local, port: http.port })

  const stop = async (): Promise<void> => {
    stopWatching()
    retractHost(dataFolder)
    origins.close()
    await http.close()
  }
  let stopping: Promise<void> | null = null
  return {
    address: `http://${local.includes(':') ? `[${local}]` : local}:${http.port}/`,
    port: http.port,
    secret,
    stop: () => (stopping ??= stop()),
  }
}

/** `sluice secret --rotate` writes the file; whoever holds the old secret is out within a moment. */
function followSecret(dataFolder: string, secrets: SecretCheck, http: HttpHost): () => void {
  const file = secretFile(dataFolder)
  const look = (): void => {
    const secret = readSecret(dataFolder)
    if (secret === null) return
    secrets.replace(secret)
    http.dropClients()
  }
  watchFile(file, { interval: secretLookMs, persistent: false }, look)
  return () => unwatchFile(file, look)
}

function addressFromHere(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}
