/** The command line as a host: the task service over a data folder of its own, with forked workers. */
import { entryPoint } from '../adapters/entry-point.ts'
import { findFfmpeg } from '../adapters/ffmpeg.ts'
import { openPorts } from '../adapters/open-ports.ts'
import { forkLauncher } from '../adapters/workers/launcher.ts'
import type { TaskService } from '../core/service.ts'
import { createTaskService } from '../core/task-service.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import { version } from './version.ts'

export interface CliHost {
  service: TaskService
  /** Stops the service (checkpoints, at most `graceMs`) and frees the data folder. */
  close(graceMs: number): Promise<void>
}

/** @throws SluiceError `CONFLICT` when the same command is running already, `STORAGE_UNAVAILABLE` */
export async function composeCliHost(options: {
  dataFolder: string
  downloadFolder: string
}): Promise<CliHost> {
  const { ports, release } = await openPorts({
    dataFolder: options.dataFolder,
    launcher: forkLauncher({ entry: entryPoint('worker') }),
  })
  const service = createTaskService(ports, {
    epoch: ports.random.id(),
    hostKind: 'cli',
    version,
    platform: process.platform,
    initialSettings: defaultSettings(options.downloadFolder),
    findFfmpeg,
    onFault: (taskId, error) => {
      const text = error instanceof Error ? error.stack : String(error)
      process.stderr.write(`sluice: a fault in task ${taskId ?? '(none)'}: ${String(text)}\n`)
    },
  })
  return {
    service,
    close: async (graceMs) => {
      await service.stop(graceMs)
      release()
    },
  }
}
