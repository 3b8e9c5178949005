/** The order to mux `video` and `audio` of a working folder. */
import { join } from 'node:path'
import type { HostMessage } from '../../src/shared/worker-protocol.ts'

export function muxOrder(parts: {
  token: number
  workingFolder: string
  ffmpegPath: string | null
  publishTo: string
  connections?: number
  stallTimeoutMs?: number
  container?: 'mp4' | 'webm' | 'mkv' | null
}): HostMessage {
  const { token, workingFolder, ffmpegPath, publishTo } = parts
  const { connections = 1, stallTimeoutMs = 60_000, container = null } = parts
  return {
    kind: 'run-step',
    attemptId: `attempt-${token}`,
    token,
    stepId: 'mux',
    order: {
      kind: 'mux',
      workingFolder,
      fileName: 'muxed',
      tracks: [
        { path: join(workingFolder, 'video'), kind: 'video', label: '' },
        { path: join(workingFolder, 'audio'), kind: 'audio', label: '' },
      ],
      container,
      ffmpegPath,
      publishTo,
    },
    checkpoint: null,
    failures: 0,
    limits: { connections, bytesPerSecond: null, retryBudget: 0, stallTimeoutMs },
  }
}
