/**
 * A start and a stop, in their order: data folder, task service, network; and back. Nothing listens before the
 * service has reconciled.
 */
import type { TaskService } from '../core/service.ts'
import { FolderRules } from '../http/folder-rules.ts'
import type { Log } from '../http/log.ts'
import { startNetworkHost } from '../http/network-host.ts'
import type { NetworkHost } from '../http/network-host.ts'
import { windowFolder } from '../http/static-ui.ts'
import { SluiceError } from '../shared/errors.ts'
import { compose } from './compose.ts'
import type { ServeOptions } from './options.ts'

/** How long runs may take to reach a checkpoint, in ms. */
const stopGraceMs = 5000

export interface RunningServer extends NetworkHost {
  /** whether the window was built and is served */
  readonly hasWindow: boolean
}

/**
 * Its `stop` lets runs reach a checkpoint (5 s at most) and closes everything. Idempotent.
 * @throws SluiceError when the data folder or the port cannot be had
 */
export async function serve(
  options: ServeOptions,
  about: { version: string; log: Log },
): Promise<RunningServer> {
  const { log } = about
  const folders = new FolderRules(() => options.downloadRoots)
  let network: NetworkHost | null = null
  const host = await compose({
    dataFolder: options.dataFolder,
    downloadFolder: options.downloadRoots[0],
    version: about.version,
    keepsDiary: options.debugApi,
    ownPort: () => network?.port ?? null,
    mayWrite: (folder) => folders.mayWrite(folder),
    onFault: (taskId, error) => log.error({ err: error, taskId }, 'A fault inside the app'),
  })
  const { service, diary } = host
  const stopService = async (): Promise<void> => {
    await service.stop(stopGraceMs)
    host.release()
  }
  let listening: NetworkHost
  try {
    await service.start()
    await keepDefaultFolderWithin(service, folders)
    listening = await startNetworkHost({
      ...options,
      ...{ service, folders, clock: host.clock, windowFolder: windowFolder(), version: about.version, log },
      ...(diary === null ? {} : { workerOutput: (attemptId: string) => diary.read(attemptId) }),
    })
    network = listening
  } catch (error) {
    await stopService()
    throw error
  }
  log.info({ dataFolder: options.dataFolder, downloadRoots: options.downloadRoots }, 'Started')

  const stop = async (): Promise<void> => {
    await Promise.all([listening.stop(), stopService()])
    log.info('Stopped')
  }
  let stopping: Promise<void> | null = null
  return { ...listening, hasWindow: windowFolder() !== null, stop: () => (stopping ??= stop()) }
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
