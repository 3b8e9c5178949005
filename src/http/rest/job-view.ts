/** Jobs as the REST API shows them: pure, from the rows, details and jobs of the contract. */
import type { ErrorRecord } from '../../shared/errors.ts'
import type { Job, TaskState } from '../../shared/task/model.ts'
import type { TaskDetails, TaskRow } from '../../shared/view.ts'
import type { RestContext } from './route.ts'
import type { JobStatus, JobSummary, JobView } from './schemas.ts'

const statusOfState: Record<TaskState, JobStatus> = {
  WAITING: 'queued',
  PAUSED: 'queued',
  RUNNING: 'downloading',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
}

export const statusOf = (state: TaskState): JobStatus => statusOfState[state]

// the six states in lower case are the six words of the schema
const wordOf = (state: TaskState): JobSummary['state'] => state.toLowerCase() as JobSummary['state']

export const timeOf = (ms: number): string => new Date(ms).toISOString()
const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timeOf(ms))

export function errorOf(error: ErrorRecord | null): JobSummary['error'] {
  return error === null ? null : { error_code: error.code, message: error.message, hint: error.hint }
}

/** Decimal units, three figures: `12.4 MB/s`. */
export function speedWords(bytesPerSecond: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytesPerSecond
  let unit = 0
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2
  return `${value.toFixed(digits)} ${units[unit] ?? ''}/s`
}

const kindWords: Record<TaskRow['active'][number]['kind'], string> = {
  resolve: 'resolving',
  download: 'downloading',
  'download-video': 'video',
  'download-audio': 'audio',
  'download-subtitle': 'subtitles',
  mux: 'muxing',
  convert: 'converting',
}

/** `downloading video 1080p, audio en`; null when nothing runs. */
export function phaseOf(active: TaskRow['active']): string | null {
  if (active.length === 0) return null
  const words = active.map(({ kind, label }) => `${kindWords[kind]}${label === '' ? '' : ` ${label}`}`)
  const tracks = active.some(({ kind }) => kind.startsWith('download-'))
  return `${tracks ? 'downloading ' : ''}${words.join(', ')}`
}

const isTrack = ({ kind }: TaskRow['pieces'][number]): boolean =>
  kind.startsWith('download') || kind === 'file'
const isDone = ({ state }: TaskRow['pieces'][number]): boolean => state === 'COMPLETED' || state === 'SKIPPED'
const labelOf = ({ kind, label }: TaskRow['pieces'][number]): string =>
  label !== '' ? label : kind.replace(/^download-?/, '') || 'file'

function trackFacts(
  row: TaskRow,
): Pick<JobSummary, 'completed_tracks' | 'total_tracks' | 'active_tracks' | 'track_progress'> {
  const tracks = row.pieces.filter(isTrack)
  const running = tracks.filter(({ state }) => state === 'RUNNING')
  return {
    completed_tracks: tracks.filter(isDone).length,
    total_tracks: tracks.length,
    active_tracks: running.map(labelOf),
    track_progress: running.map((track) => ({
      label: labelOf(track),
      progress: track.fraction * 100,
      // one that runs alone has all of the speed
      speed: running.length === 1 ? row.bytesPerSecond : null,
    })),
  }
}

/** The current job of a task. */
export function summaryOf(row: TaskRow, job: Job): JobSummary {
  const current = row.pieces.find(({ kind, state }) => kind === 'file' && state === 'RUNNING')
  const isRunning = row.state === 'RUNNING'
  return {
    job_id: job.id,
    task_id: row.id,
    status: statusOf(row.state),
    state: wordOf(row.state),
    pause_reason: row.pause?.kind ?? null,
    stop_requested: row.stopRequested,
    superseded_by: null,
    title: row.title,
    service: row.service,
    created_time: timeOf(job.createdAt),
    started_time: timeOrNull(job.startedAt),
    completed_time: timeOrNull(job.end?.at ?? row.finishedAt),
    queue_position: row.queuePosition,
    progress: row.progress,
    current_progress: isRunning ? (current === undefined ? row.progress : current.fraction * 100) : null,
    current_title: isRunning ? (current?.label ?? row.title) : null,
    phase: phaseOf(row.active),
    ...trackFacts(row),
    // no source of segments yet: plain files and pairs have none
    segments_done: null,
    segments_total: null,
    size: row.size,
    done_bytes: row.doneBytes,
    speed: speedWords(row.bytesPerSecond),
    speed_bps: row.bytesPerSecond,
    remaining_seconds: row.remainingSeconds,
    skipped_subtitles: row.skipped.map(({ message }) => message),
    output_files: row.outputs,
    error: errorOf(row.error ?? row.blockedBy),
  }
}

/** A job that is history: its task has begun another one, or is gone. */
export function endedSummary(job: Job, supersededBy: string | null): JobSummary {
  const end = job.end
  const state = end?.state ?? 'CANCELLED'
  return {
    job_id: job.id,
    task_id: job.taskId,
    status: statusOf(state),
    state: wordOf(state),
    pause_reason: null,
    stop_requested: null,
    superseded_by: supersededBy,
    title: end?.title ?? '',
    service: end?.service ?? '',
    created_time: timeOf(job.createdAt),
    started_time: timeOrNull(job.startedAt),
    completed_time: timeOrNull(end?.at ?? null),
    queue_position: null,
    progress: state === 'COMPLETED' ? 100 : 0,
    current_progress: null,
    current_title: null,
    phase: null,
    ...{ completed_tracks: 0, total_tracks: 0, active_tracks: [], track_progress: [] },
    ...{ segments_done: null, segments_total: null },
    size: null,
    done_bytes: end?.doneBytes ?? 0,
    ...{ speed: speedWords(0), speed_bps: 0, remaining_seconds: null },
    skipped_subtitles: [],
    output_files: end?.outputs ?? [],
    error: errorOf(end?.error ?? null),
  }
}

/** A job in full; `details` null: it is history. `workerOutput`: with what the workers of a failed one wrote. */
export function fullView(
  summary: JobSummary,
  details: TaskDetails | null,
  workerOutput: RestContext['workerOutput'],
): JobView {
  if (details === null) return { ...summary, parameters: null, files: [], attempts: [] }
  const { parameters, files, attempts } = details
  const { link } = parameters
  return {
    ...summary,
    parameters: {
      url: link.kind === 'single' ? link.url : link.video,
      audio_url: link.kind === 'single' ? null : link.audio,
      folder: parameters.folder,
      title: parameters.name,
      headers: Object.fromEntries(parameters.headers),
      connections: parameters.connections,
      speed_limit_bytes_per_second: parameters.speedLimitBytesPerSecond,
      checksum: parameters.checksum,
      proxy: parameters.proxy,
      direct: parameters.direct,
    },
    files: files.map(({ id, name, size, doneBytes, selected, progress }) => ({
      ...{ id, name, size, selected, progress },
      done_bytes: doneBytes,
    })),
    attempts: attempts.map(({ id, startedAt, endedAt, reason }) => ({
      started_time: timeOf(startedAt),
      ended_time: timeOrNull(endedAt),
      reason,
      ...(workerOutput === undefined || summary.status !== 'failed'
        ? {}
        : { worker_output: workerOutput(id) }),
    })),
  }
}
