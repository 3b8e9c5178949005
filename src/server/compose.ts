/** The headless host's task service: the ports of every host, with forked workers. */
import { entryPoint } from '../adapters/entry-point.ts'
import { findFfmpeg } from '../adapters/ffmpeg.ts'
import { openPorts } from '../adapters/open-ports.ts'
import { AttemptDiary } from '../adapters/workers/attempt-diary.ts'
import { forkLauncher } from '../adapters/workers/launcher.ts'
import type { Clock } from '../core/ports.ts'
import type { TaskService } from '../core/service.ts'
import { createTaskService } from '../core/task-service.ts'
import { defaultSettings } from '../shared/default-settings.ts'
import type { Settings } from '../shared/settings.ts'

export interface ComposeOptions {
  dataFolder: string
  /** where downloads go until the settings say otherwise */
  downloadFolder: string
  version: string
  /** whether what workers write is kept for the API */
  keepsDiary: boolean
  onFault: (taskId: string | null, error: unknown) => void
  /** port on which it listens, null while it does not */
  ownPort: () => number | null
  /** whether tasks may save into this folder */
  mayWrite: (folder: string) => boolean
}

/** A list that many look at and nobody clears: what has ended leaves it after a day. */
const serverSettings: Partial<Settings> = { retentionHours: 24 }

export interface ComposedHost {
  service: TaskService
  clock: Clock
  /** null: not kept */
  diary: AttemptDiary | null
  /** Lets another host have the data folder; after the service has stopped. */
  release(): void
}

/**
 * Takes the data folder and puts the service together; it is not started.
 * @throws SluiceError `CONFLICT` when another host has the folder, `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export async function compose(options: ComposeOptions): Promise<ComposedHost> {
  const diary = options.keepsDiary ? new AttemptDiary() : null
  const entry = entryPoint('worker')
  const { ports, release } = await openPorts({
    dataFolder: options.dataFolder,
    launcher: forkLauncher(
      diary === null ? { entry } : { entry, onOutput: (pid, text) => diary.note(pid, text) },
    ),
  })
  const workers = diary === null ? ports.workers : diary.watch(ports.workers)
  const service = createTaskService(
    { ...ports, workers },
    {
      epoch: ports.random.id(),
      hostKind: 'server',
      version: options.version,
      platform: process.platform,
      initialSettings: { ...defaultSettings(options.downloadFolder), ...serverSettings },
      findFfmpeg,
      onFault: options.onFault,
      ownPort: options.ownPort,
      mayWrite: options.mayWrite,
    },
  )
  return { service, clock: ports.clock, diary, release }
}
