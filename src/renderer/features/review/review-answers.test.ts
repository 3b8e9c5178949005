import { expect, test } from 'vitest'
import { reviewAnswers } from './review-answers.ts'

test('a changed or incomplete resource cannot be kept as it is', () => {
  expect(reviewAnswers('REMOTE_CHANGED')).toEqual(['redo', 'discard'])
  expect(reviewAnswers('SEGMENTS_MISSING')).not.toContain('keep')
})

test('only missing segments can be finished without', () => {
  expect(reviewAnswers('SEGMENTS_MISSING')).toContain('finish-without')
  expect(reviewAnswers('LOOKS_LIKE_A_PAGE')).toEqual(['keep', 'redo', 'discard'])
})

test('what loses data is never the first answer', () => {
  for (const code of ['SEGMENTS_MISSING', 'REMOTE_CHANGED', 'TOO_SHORT'] as const) {
    expect(reviewAnswers(code)[0]).not.toBe('discard')
  }
})
