/** The defaults, apart from the schema: the window shows them ("Back to 3") and carries no validator. */
import type { Settings } from './settings.ts'
import { weekdays } from './week-hours.ts'

/** Defaults of a fresh data folder; `downloadFolder` is the host's to fill. */
export function defaultSettings(downloadFolder: string): Settings {
  return {
    downloadFolder,
    maxConcurrentTasks: 3,
    maxTracksPerTask: 2,
    connectionsPerTask: 8,
    connectionsPerHost: 16,
    speedLimitBytesPerSecond: 0,
    scheduleMode: 'off',
    // at night; it counts when the mode is no longer off
    scheduleWindows: weekdays.map((day) => ({ day, from: '01:00', to: '07:00' })),
    slowSpeedLimitBytesPerSecond: 1_000_000,
    retryBudget: 5,
    stallTimeoutSeconds: 150,
    startupPolicy: 'resume',
    changedResourcePolicy: 'ask',
    reservedSpaceBytes: 512 * 1024 * 1024,
    historyLimit: 1000,
    retentionHours: 0,
    theme: 'system',
    language: 'system',
    density: 'comfortable',
    ffmpegPath: '',
    certificateFile: '',
    localApi: 'off',
    localApiPort: 8786,
    allowedOrigin: '',
  }
}
