/** The desktop host's task service: the ports of every host, with workers as utility processes. */
import { app } from 'electron'
import { entryPoint } from '../adapters/entry-point.ts'
import { findFfmpeg } from '../adapters/ffmpeg.ts'
import { openPorts } from '../adapters/open-ports.ts'
import type { TaskService } from '../core/service.ts'
import { createTaskService } from '../core/task-service.ts'
import { desktopCommandNames } from '../shared/contract/names.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import { powerHooks } from './power-hooks.ts'
import { systemKeyGuard } from './system-key-guard.ts'
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
  const { ports, release } = await openPorts({
    dataFolder: options.dataFolder,
    launcher: utilityProcessLauncher({ entry: entryPoint('worker') }),
    keyGuard: systemKeyGuard,
  })
  const service = createTaskService(ports, {
    epoch: ports.random.id(),
    hostKind: 'electron',
    version: options.version,
    platform: process.platform,
    initialSettings: defaultSettings(options.downloadFolder),
    capabilities: desktopCommandNames,
    powerHooks: powerHooks(app, process.platform),
    findFfmpeg,
    onFault: (_taskId, error) => {
      options.onFault(error)
    },
  })
  return {
    service,
    stop: async (graceMs) => {
      await service.stop(graceMs)
      release()
    },
  }
}
