/** The one button of a row: the next step, when the user must act. A verb with its object; "…" means more questions follow. */
import type { ErrorCode } from '../../shared/errors.ts'
import type { TaskRow } from '../../shared/view.ts'
import type { MessageKey } from '../i18n/catalogue.ts'

export type NextStepKind = 'free-space' | 'edit-link' | 'edit' | 'review' | 'resume' | 'retry' | 'redownload'

export interface NextStep {
  readonly kind: NextStepKind
  readonly label: MessageKey
}

const steps: Readonly<Record<NextStepKind, NextStep>> = {
  'free-space': { kind: 'free-space', label: 'next.freeSpace' },
  'edit-link': { kind: 'edit-link', label: 'next.editLink' },
  edit: { kind: 'edit', label: 'next.edit' },
  review: { kind: 'review', label: 'next.review' },
  resume: { kind: 'resume', label: 'action.resume' },
  retry: { kind: 'retry', label: 'action.retry' },
  redownload: { kind: 'redownload', label: 'action.redownload' },
}

/** Failures for which trying the same again is not the cure. */
const cures: Readonly<Partial<Record<ErrorCode, NextStepKind>>> = {
  HOST_NOT_FOUND: 'edit-link',
  INVALID_INPUT: 'edit-link',
  AUTH_FAILED: 'edit',
  FORBIDDEN: 'edit',
  CHECKSUM_MISMATCH: 'redownload',
}

/** Codes that no step of the user can cure: the row only offers what its menu has. */
const hopeless: ReadonlySet<ErrorCode> = new Set(['DRM_ERROR', 'UNSUPPORTED'])

export function nextStep(row: Pick<TaskRow, 'state' | 'pause' | 'error'>): NextStep | null {
  if (row.state === 'FAILED') {
    const code = row.error?.code
    if (code !== undefined && hopeless.has(code)) return null
    return steps[(code === undefined ? undefined : cures[code]) ?? 'retry']
  }
  if (row.state !== 'PAUSED') return null
  switch (row.pause?.kind) {
    case 'storage':
      return steps['free-space']
    case 'source':
      return steps['edit-link']
    case 'review':
      return steps.review
    case 'crash':
      return steps.resume
    default:
      return null
  }
}
