import type { TaskRow } from '../../src/shared/view.ts'

/** A row of a task that runs, with these facts. */
export function sampleRow(facts: Partial<TaskRow>): TaskRow {
  return {
    id: 'task',
    jobId: 'job',
    title: 'file.bin',
    host: 'example.org',
    service: 'example.org',
    state: 'RUNNING',
    pause: null,
    stopRequested: null,
    blockedBy: null,
    error: null,
    queuePosition: null,
    progress: 0,
    doneBytes: 0,
    size: 1000,
    bytesPerSecond: 0,
    remainingSeconds: null,
    active: [{ kind: 'download', label: '', activity: 'transferring' }],
    pieces: [],
    fileCount: 1,
    folder: '/tmp',
    outputs: [],
    skipped: [],
    createdAt: 0,
    finishedAt: null,
    ...facts,
  }
}
