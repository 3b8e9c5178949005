/** A row for unit tests: a waiting plain file, with whatever the test is about. */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { TaskRow } from '../../shared/view.ts'

export function rowOf(about: Partial<TaskRow> = {}): TaskRow {
  return {
    id: 't1',
    jobId: 'j1',
    title: 'file.iso',
    host: 'mirror.example',
    service: 'mirror.example',
    state: 'WAITING',
    pause: null,
    stopRequested: null,
    blockedBy: null,
    error: null,
    queuePosition: null,
    progress: 0,
    doneBytes: 0,
    size: null,
    bytesPerSecond: 0,
    remainingSeconds: null,
    active: [],
    pieces: [],
    fileCount: 1,
    folder: '/home/me/Downloads',
    outputs: [],
    skipped: [],
    createdAt: 0,
    finishedAt: null,
    ...about,
  }
}

export function errorOf(code: ErrorRecord['code'], details?: ErrorRecord['details']): ErrorRecord {
  return { code, message: 'Raw message', hint: 'Raw hint.', ...(details === undefined ? {} : { details }) }
}
