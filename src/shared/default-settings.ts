/** The defaults, apart from the schema: the window shows them ("Back to 3") and carries no validator. */
import type { Settings } from './settings.ts'

/** Defaults of a fresh data folder; `downloadFolder` is the host's to fill. */
export function defaultSettings(downloadFolder: string): Settings {
  return {
    downloadFolder,
    maxConcurrentTasks: 3,
    maxTracksPerTask: 2,
    connectionsPerTask: 8,
    connectionsPerHost: 16,
    speedLimitBytesPerSecond: 0,
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
  }
}
