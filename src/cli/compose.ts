/** The command line as a host: the task service over a data folder of its own, with forked workers. */
import { findFfmpeg } from '../adapters/ffmpeg.ts'
import { openPorts } from '../adapters/open-ports.ts'
import type { TaskService } from '../core/service.ts'
import { createTaskService } from '../core/task-service.ts'
import type { Settings } from '../shared/settings.ts'
import { workerLauncher } from './first-worker.ts'
import { version } from './version.ts'

export interface CliHost {
  service: TaskService
  /** Frees the data folder; after the service has stopped. */
  release(): void
}

/**
 * Takes the data folder; nothing runs before `service.start()`.
 * @throws SluiceError `CONFLICT` when another process uses the folder, `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export async function composeCliHost(options: {
  dataFolder: string
  settings: Settings
  /** whether tracks may have to be joined: looking for FFmpeg costs more than starting everything else */
  joins: boolean
  onFault: (error: unknown) => void
}): Promise<CliHost> {
  const { ports, release } = await openPorts({
    dataFolder: options.dataFolder,
    launcher: workerLauncher,
    storeInThread: false,
  })
  const service = createTaskService(ports, {
    epoch: ports.random.id(),
    hostKind: 'cli',
    version,
    platform: process.platform,
    initialSettings: options.settings,
    ...(options.joins ? { findFfmpeg } : {}),
    onFault: (_taskId, error) => options.onFault(error),
  })
  return { service, release }
}
