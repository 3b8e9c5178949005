/**
 * The status line of a row: state, then what, then figures, at most three parts joined by " · ". It always begins
 * with the state; a pause and a failure say why after a colon. Figures come marked (see i18n/figures.ts).
 */
import type { StepKind } from '../../shared/task/model.ts'
import type { TaskRow } from '../../shared/view.ts'
import type { MessageKey } from '../i18n/catalogue.ts'
import { duration, moment, speed } from '../i18n/format.ts'
import type { Words } from '../i18n/words.ts'
import { errorClause } from './error-words.ts'

const ordinals: readonly MessageKey[] = [
  'ordinal.1',
  'ordinal.2',
  'ordinal.3',
  'ordinal.4',
  'ordinal.5',
  'ordinal.6',
  'ordinal.7',
  'ordinal.8',
  'ordinal.9',
  'ordinal.10',
]

const tracks: Readonly<Partial<Record<StepKind, MessageKey>>> = {
  'download-video': 'track.video',
  'download-audio': 'track.audio',
  'download-subtitle': 'track.subtitle',
}

/** What happens to the task now, marked. `nowMs` is only needed for pauses that end by themselves and for dates. */
export function statusWords(words: Words, row: TaskRow, nowMs: number): string {
  switch (row.state) {
    case 'RUNNING':
      return runningWords(words, row)
    case 'WAITING':
      return waitingWords(words, row)
    case 'PAUSED':
      return pausedWords(words, row, nowMs)
    case 'COMPLETED':
      return completedWords(words, row, nowMs)
    case 'FAILED':
      return row.error === null
        ? words.marked('state.failed')
        : words.marked('status.failed', { why: errorClause(words, row.error) })
    case 'CANCELLED':
      return row.finishedAt === null
        ? words.marked('state.cancelled')
        : words.marked('status.cancelled', { when: moment(words, row.finishedAt, nowMs) })
  }
}

/** Whether the words change by themselves as time passes. */
export function statusTicks(row: TaskRow): boolean {
  const pause = row.pause
  return row.state === 'PAUSED' && pause?.kind === 'network' && pause.resumeAt !== null
}

function runningWords(words: Words, row: TaskRow): string {
  if (row.stopRequested === 'pause') {
    const muxes = row.active.some((step) => step.kind === 'mux' || step.kind === 'convert')
    return words.marked(muxes ? 'status.pausingAfterMux' : 'state.pausing')
  }
  if (row.stopRequested === 'cancel' || row.stopRequested === 'delete')
    return words.marked('state.cancelling')
  if (row.stopRequested === 'requeue' || row.stopRequested === 'exit')
    return words.marked('status.requeueing')
  if (row.stopRequested !== null) return words.marked('status.applyingChange')
  const parts = [runningAction(words, row), runningActivity(words, row)]
  if (row.bytesPerSecond > 0 && flows(row)) parts.push(speed(words, row.bytesPerSecond))
  if (row.remainingSeconds !== null && (flows(row) || isComputing(row))) {
    parts.push(words.marked('status.left', { time: duration(words, row.remainingSeconds) }))
  }
  return parts
    .filter((part) => part !== '')
    .slice(0, 3)
    .join(' · ')
}

function flows(row: TaskRow): boolean {
  return row.active.some((step) => step.activity === 'transferring')
}

function isComputing(row: TaskRow): boolean {
  return row.active.some((step) => step.activity === 'muxing')
}

function runningAction(words: Words, row: TaskRow): string {
  const kinds = new Set(row.active.map((step) => step.kind))
  if (kinds.size === 0) return words.marked('status.starting')
  if (kinds.has('mux')) return words.marked('status.muxing')
  if (kinds.has('convert')) return words.marked('state.converting')
  if (kinds.size === 1 && kinds.has('resolve')) return words.marked('status.resolving')
  if (row.fileCount > 1) {
    const position = filePosition(row)
    if (position !== null) return words.marked('status.downloadingFile', { position, files: row.fileCount })
  }
  const names = [...kinds].flatMap((kind) => {
    const key = tracks[kind]
    return key === undefined ? [] : [words.t(key)]
  })
  return names.length === 0
    ? words.marked('state.downloading')
    : words.marked('status.downloadingTracks', { tracks: words.format.list(names) })
}

/** Which file of a playlist runs: its place among the pieces of the bar, when there is one piece per file. */
function filePosition(row: TaskRow): number | null {
  const files = row.pieces.filter((piece) => piece.kind === 'file')
  const running = files.findIndex((piece) => piece.state === 'RUNNING')
  return running === -1 ? null : running + 1
}

/** Said only when nothing flows: what the step waits for. */
function runningActivity(words: Words, row: TaskRow): string {
  if (flows(row) || isComputing(row)) return ''
  const activities = new Set(row.active.map((step) => step.activity))
  if (activities.has('verifying')) return words.marked('activity.verifying')
  if (activities.has('flushing')) return words.marked('activity.flushing')
  if (activities.has('waiting')) return words.marked('activity.waiting')
  const onlyResolves = row.active.every((step) => step.kind === 'resolve')
  return activities.has('connecting') && !onlyResolves ? words.marked('activity.connecting') : ''
}

function waitingWords(words: Words, row: TaskRow): string {
  if (row.blockedBy !== null)
    return words.marked('status.blocked', { why: errorClause(words, row.blockedBy) })
  const position = row.queuePosition
  if (position === null) return words.marked('state.waiting')
  const word = ordinals[position - 1]
  return word === undefined
    ? words.ordinal('status.waitingNth', position)
    : words.marked('status.waitingInLine', { ordinal: words.t(word) })
}

function pausedWords(words: Words, row: TaskRow, nowMs: number): string {
  const pause = row.pause
  if (pause === null) return words.marked('state.paused')
  switch (pause.kind) {
    case 'user':
      return words.marked('status.pausedByUser', { when: moment(words, pause.at, nowMs) })
    case 'network': {
      const why = errorClause(words, pause.error)
      if (pause.resumeAt === null) return words.marked('status.paused', { why })
      const seconds = Math.max(0, (pause.resumeAt - nowMs) / 1000)
      return seconds < 1
        ? words.marked('status.pausedTriesNow', { why })
        : words.marked('status.pausedNextTry', { why, time: duration(words, Math.ceil(seconds)) })
    }
    case 'storage':
    case 'source':
      return words.marked('status.paused', { why: errorClause(words, pause.error) })
    case 'crash':
      return words.marked('status.paused', { why: words.t('status.crashed') })
    case 'review':
      return words.marked('status.review', { why: errorClause(words, pause.error) })
    case 'schedule':
      return pause.resumeAt === null
        ? words.marked('status.outsideHours')
        : words.marked('status.pausedUntil', { time: words.format.clock(pause.resumeAt) })
  }
}

function completedWords(words: Words, row: TaskRow, nowMs: number): string {
  if (row.finishedAt === null) return words.marked('state.completed')
  const when = moment(words, row.finishedAt, nowMs)
  if (row.skipped.length > 0) {
    return words.marked('status.completedSkipped', { when, count: row.skipped.length })
  }
  return words.marked('status.completed', { when, folder: folderName(row.folder) })
}

/** The last part of a path, whatever the separator; a root stays whole. */
export function folderName(folder: string): string {
  return (
    folder
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? folder
  )
}
