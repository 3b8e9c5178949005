/** Which answers fit a task that waits for a review, the gentlest first (task model: keep, redo, discard). Pure. */
import type { ErrorCode } from '../../../shared/errors.ts'
import type { MessageKey } from '../../i18n/catalogue.ts'

export type ReviewAnswer = 'try-again' | 'keep' | 'finish-without' | 'redo' | 'discard'

export function reviewAnswers(code: ErrorCode): ReviewAnswer[] {
  switch (code) {
    case 'SEGMENTS_MISSING':
      return ['try-again', 'finish-without', 'redo', 'discard']
    case 'REMOTE_CHANGED':
      return ['redo', 'discard']
    default:
      return ['keep', 'redo', 'discard']
  }
}

export const answerWords: Readonly<
  Record<ReviewAnswer, { name: MessageKey; why: MessageKey; deed: MessageKey }>
> = {
  'try-again': { name: 'review.tryAgain', why: 'review.tryAgainWhy', deed: 'review.tryAgain' },
  keep: { name: 'review.keep', why: 'review.keepWhy', deed: 'review.keep' },
  'finish-without': {
    name: 'review.finishWithout',
    why: 'review.finishWithoutWhy',
    deed: 'review.finishWithoutDeed',
  },
  redo: { name: 'review.redo', why: 'review.redoWhy', deed: 'review.redoDeed' },
  discard: { name: 'review.discard', why: 'review.discardWhy', deed: 'review.discardDeed' },
}
