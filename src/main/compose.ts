/** The desktop host: the ports that every host shares, with workers as utility processes. */
import { SystemClock } from '../adapters/clock.ts'
import { lockDataFolder } from '../adapters/data-folder.ts'
import { entryPoint } from '../adapters/entry-point.ts'
import { findFfmpeg } from '../adapters/ffmpeg.ts'
import { NodeFileSystem } from '../adapters/file-system.ts'
import { TcpNetworkProbe } from '../adapters/network-probe.ts'
import { CryptoRandom } from '../adapters/random.ts'
import { SqliteTaskStore } from '../adapters/store/sqlite-task-store.ts'
import { SupervisedWorkerPool } from '../adapters/workers/supervised-worker-pool.ts'
import type { TaskService } from '../core/service.ts'
import { createTaskService } from '../core/task-service.ts'
import { desktopCommandNames } from '../shared/contract/names.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import { utilityProcessLauncher } from './utility-process-launcher.ts'

export interface HostOptions {
  dataFolder: string
  /** where downloads go in a fresh data folder */
  downloadFolder: string
  version: string
  /** faults of our own, with their cause */
  onFault: (error: unknown) => void
}

export interface Host {
  readonly service: TaskService
  /** Stops every run at a checkpoint within `graceMs`, closes the database and gives the data folder back. */
  stop(graceMs: number): Promise<void>
}

/**
 * Takes the data folder and opens its database; nothing runs before `service.start()`.
 * @throws SluiceError `CONFLICT` when another host uses the folder, `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export async function composeHost(options: HostOptions): Promise<Host> {
  const lock = lockDataFolder(options.dataFolder)
  try {
    const random = new CryptoRandom()
    const service = createTaskService(
      {
        clock: new SystemClock(),
        random,
        store: await SqliteTaskStore.open({ dataFolder: options.dataFolder }),
        workers: new SupervisedWorkerPool(utilityProcessLauncher({ entry: entryPoint('worker') })),
        files: new NodeFileSystem(),
        network: new TcpNetworkProbe(),
      },
      {
        epoch: random.id(),
        hostKind: 'electron',
        version: options.version,
        platform: process.platform,
        initialSettings: defaultSettings(options.downloadFolder),
        capabilities: desktopCommandNames,
        findFfmpeg,
        onFault: (_taskId, error) => {
          options.onFault(error)
        },
      },
    )
    return {
      service,
      stop: async (graceMs) => {
        await service.stop(graceMs)
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
