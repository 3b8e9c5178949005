/** Which of the interface's states a row shows: its word, icon and colour. One place, so that list, details and tests agree. */
import type { TaskRow } from '../../shared/view.ts'
import type { MessageKey } from '../i18n/catalogue.ts'
import type { IconName } from '../parts/icon.tsx'

/** Colour of a state; `attention` and `failed` wait for the user. */
export type Tone =
  'running' | 'waiting' | 'paused' | 'healing' | 'attention' | 'failed' | 'completed' | 'cancelled'

export interface RowState {
  readonly tone: Tone
  readonly icon: IconName
  readonly word: MessageKey
}

type Facts = Pick<TaskRow, 'state' | 'pause' | 'stopRequested' | 'active'>

export function rowState(row: Facts): RowState {
  switch (row.state) {
    case 'RUNNING':
      return runningState(row)
    case 'WAITING':
      return { tone: 'waiting', icon: 'clock', word: 'state.waiting' }
    case 'PAUSED':
      return pausedState(row)
    case 'COMPLETED':
      return { tone: 'completed', icon: 'done', word: 'state.completed' }
    case 'FAILED':
      return { tone: 'failed', icon: 'alert', word: 'state.failed' }
    case 'CANCELLED':
      return { tone: 'cancelled', icon: 'cancel', word: 'state.cancelled' }
  }
}

function runningState(row: Facts): RowState {
  if (row.stopRequested === 'cancel' || row.stopRequested === 'delete') {
    return { tone: 'running', icon: 'cancel', word: 'state.cancelling' }
  }
  if (row.stopRequested === 'pause') return { tone: 'running', icon: 'pause', word: 'state.pausing' }
  if (row.stopRequested !== null) return { tone: 'running', icon: 'clock', word: 'state.stopping' }
  const kinds = new Set(row.active.map((step) => step.kind))
  if (kinds.has('mux')) return { tone: 'running', icon: 'mux', word: 'state.muxing' }
  if (kinds.has('convert')) return { tone: 'running', icon: 'mux', word: 'state.converting' }
  if (kinds.size === 1 && kinds.has('resolve'))
    return { tone: 'running', icon: 'search', word: 'state.resolving' }
  return { tone: 'running', icon: 'down', word: 'state.downloading' }
}

function pausedState(row: Facts): RowState {
  const word = 'state.paused'
  switch (row.pause?.kind) {
    case 'storage':
      return { tone: 'attention', icon: 'disk', word }
    case 'network':
      return { tone: 'healing', icon: 'offline', word }
    case 'schedule':
      return { tone: 'healing', icon: 'calendar', word }
    case 'source':
      return { tone: 'attention', icon: 'unlink', word }
    case 'review':
      return { tone: 'attention', icon: 'eye', word: 'state.review' }
    case 'crash':
      return { tone: 'attention', icon: 'warn', word }
    case 'user':
    case undefined:
      return { tone: 'paused', icon: 'pause', word }
  }
}
