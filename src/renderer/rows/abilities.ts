/** Which operations fit a row, by the table of the task model. The host decides; this only greys out what it would refuse. */
import type { TaskRow } from '../../shared/view.ts'

type Facts = Pick<TaskRow, 'state' | 'pause' | 'stopRequested' | 'skipped' | 'outputs'>

export const canPause = (row: Facts): boolean =>
  row.state === 'WAITING' ||
  (row.state === 'RUNNING' && row.stopRequested !== 'pause' && row.stopRequested !== 'cancel') ||
  (row.state === 'PAUSED' && row.pause !== null && row.pause.kind !== 'user')

export const canRestart = (row: Facts): boolean =>
  row.state === 'FAILED' ||
  row.state === 'PAUSED' ||
  (row.state === 'RUNNING' && row.stopRequested === 'pause')

export const canCancel = (row: Facts): boolean =>
  (row.state === 'WAITING' || row.state === 'RUNNING' || row.state === 'PAUSED') &&
  row.stopRequested !== 'cancel'

export const canEdit = (row: Facts): boolean => row.state !== 'CANCELLED'

export const canMove = (row: Facts): boolean => row.state === 'WAITING'

export const canRetryAsNew = (row: Facts): boolean =>
  row.state === 'FAILED' || row.state === 'COMPLETED' || row.state === 'CANCELLED'

export const canRetrySkipped = (row: Facts): boolean => row.state === 'COMPLETED' && row.skipped.length > 0

export const canOpen = (row: Facts): boolean => row.outputs.length > 0

/** Restart has two names in the window: what failed is retried, everything else goes on. */
export function restartWord(rows: readonly Facts[]): 'action.resume' | 'action.retry' {
  const restartable = rows.filter(canRestart)
  return restartable.length > 0 && restartable.every((row) => row.state === 'FAILED')
    ? 'action.retry'
    : 'action.resume'
}
