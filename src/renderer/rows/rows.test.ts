import { beforeAll, describe, expect, test } from 'vitest'
import { errorCodes } from '../../shared/errors.ts'
import { pauseKinds, taskStates } from '../../shared/task/model.ts'
import type { Pause, PauseKind } from '../../shared/task/model.ts'
import { plain } from '../i18n/figures.ts'
import type { Words } from '../i18n/words.ts'
import { wordsOf } from '../i18n/words-of.ts'
import {
  canCancel,
  canEdit,
  canMove,
  canPause,
  canRestart,
  canRetryAsNew,
  canRetrySkipped,
  restartWord,
} from './abilities.ts'
import { errorClause, errorHelp, errorSentence } from './error-words.ts'
import { isMasked } from './masked.ts'
import { nextStep } from './next-step.ts'
import { errorOf, rowOf } from './row-of.ts'
import { rowState } from './row-state.ts'
import { typeIcon } from './type-icon.ts'

const error = errorOf('NETWORK_ERROR')
const pauses: Record<PauseKind, Pause> = {
  user: { kind: 'user', at: 0 },
  storage: { kind: 'storage', at: 0, firstAt: 0, folder: '/', resumesByItself: true, error },
  network: { kind: 'network', at: 0, resumeAt: null, resumeTo: 'tail', failures: 0, error },
  source: { kind: 'source', at: 0, error },
  review: { kind: 'review', at: 0, error },
  schedule: { kind: 'schedule', at: 0, resumeAt: null },
  crash: { kind: 'crash', at: 0, error },
}
const pausedBy = (kind: PauseKind) => rowOf({ state: 'PAUSED', pause: pauses[kind] })

describe('the state that is shown', () => {
  test('tells the reasons of a pause apart by icon and colour', () => {
    expect(Object.fromEntries(pauseKinds.map((kind) => [kind, rowState(pausedBy(kind)).tone]))).toEqual({
      user: 'paused',
      storage: 'attention',
      network: 'healing',
      source: 'attention',
      review: 'attention',
      schedule: 'healing',
      crash: 'attention',
    })
    const icons = pauseKinds.map((kind) => rowState(pausedBy(kind)).icon)
    expect(new Set(icons).size).toBe(pauseKinds.length)
  })

  test('is that of the request while one is carried out', () => {
    expect(rowState(rowOf({ state: 'RUNNING', stopRequested: 'pause' })).word).toBe('state.pausing')
    expect(rowState(rowOf({ state: 'RUNNING', stopRequested: 'cancel' })).word).toBe('state.cancelling')
  })
})

describe('what a row offers', () => {
  test('follows the table of the task model', () => {
    const table = taskStates.map((state) => {
      const row = rowOf({ state, pause: state === 'PAUSED' ? pauses.user : null })
      const able = { canPause, canRestart, canCancel, canEdit, canMove, canRetryAsNew }
      return [state, Object.entries(able).flatMap(([name, can]) => (can(row) ? [name] : []))]
    })
    expect(Object.fromEntries(table)).toEqual({
      WAITING: ['canPause', 'canCancel', 'canEdit', 'canMove'],
      RUNNING: ['canPause', 'canCancel', 'canEdit'],
      PAUSED: ['canRestart', 'canCancel', 'canEdit'],
      COMPLETED: ['canEdit', 'canRetryAsNew'],
      FAILED: ['canRestart', 'canEdit', 'canRetryAsNew'],
      CANCELLED: ['canRetryAsNew'],
    })
  })

  test('a pause that ends by itself can be made the user’s own', () => {
    expect(canPause(pausedBy('network'))).toBe(true)
    expect(canPause(pausedBy('user'))).toBe(false)
  })

  test('what is being paused can be taken back, and is not paused twice', () => {
    const row = rowOf({ state: 'RUNNING', stopRequested: 'pause' })
    expect([canPause(row), canRestart(row)]).toEqual([false, true])
  })

  test('only a completed task with skipped parts can have them retried', () => {
    expect(canRetrySkipped(rowOf({ state: 'COMPLETED', skipped: [error] }))).toBe(true)
    expect(canRetrySkipped(rowOf({ state: 'COMPLETED' }))).toBe(false)
  })

  test('restart is called Retry when all that it would restart has failed', () => {
    const failed = rowOf({ state: 'FAILED' })
    expect(restartWord([failed, rowOf({ state: 'COMPLETED' })])).toBe('action.retry')
    expect(restartWord([failed, pausedBy('user')])).toBe('action.resume')
    expect(restartWord([])).toBe('action.resume')
  })
})

describe('the next step', () => {
  test('is there exactly when the user must act', () => {
    expect(
      Object.fromEntries(pauseKinds.map((kind) => [kind, nextStep(pausedBy(kind))?.kind ?? null])),
    ).toEqual({
      user: null,
      storage: 'free-space',
      network: null,
      source: 'edit-link',
      review: 'review',
      schedule: null,
      crash: 'resume',
    })
    expect(nextStep(rowOf({ state: 'RUNNING' }))).toBeNull()
  })

  test('of a failure is the cure of its cause', () => {
    const cure = (code: (typeof errorCodes)[number]) =>
      nextStep(rowOf({ state: 'FAILED', error: errorOf(code) }))?.kind
    expect(cure('NOT_FOUND')).toBe('retry')
    expect(cure('HOST_NOT_FOUND')).toBe('edit-link')
    expect(cure('CHECKSUM_MISMATCH')).toBe('redownload')
    expect(cure('DRM_ERROR')).toBeUndefined()
  })
})

describe('errors in words', () => {
  let english: Words
  let chinese: Words
  beforeAll(async () => {
    english = await wordsOf('en')
    chinese = await wordsOf('zh-CN')
  })

  test('take in the facts that came along', () => {
    expect(plain(errorClause(english, errorOf('HTTP_ERROR', { status: 503 })))).toBe(
      'the host answered with an error (503)',
    )
    expect(plain(errorClause(english, errorOf('HTTP_ERROR')))).toBe('the host answered with an error')
    expect(plain(errorClause(chinese, errorOf('HOST_NOT_FOUND', { host: 'a.example' })))).toBe(
      '没有主机 a.example',
    )
  })

  test('are the host’s own only for codes that stand for many faults, and only in English', () => {
    const refused = { code: 'INVALID_INPUT', message: 'This is not a link', hint: 'Give a link.' } as const
    expect(plain(errorSentence(english, refused))).toBe('This is not a link.')
    expect(errorHelp(english, refused)).toBe('Give a link.')
    expect(plain(errorSentence(chinese, refused))).toBe('输入的内容不正确。')
  })

  test('are there for every code, in both languages, without the raw text', () => {
    for (const code of errorCodes) {
      expect(plain(errorSentence(chinese, errorOf(code)))).not.toContain('Raw')
      expect(plain(errorSentence(english, errorOf(code)))).toMatch(/^\p{Lu}.*\.$/u)
    }
  })
})

test('an icon tells the type by steps, then by the ending', () => {
  expect(typeIcon(rowOf({ title: 'talk.mp4' }))).toBe('video')
  expect(typeIcon(rowOf({ title: 'talk', outputs: ['/a/talk.flac'] }))).toBe('audio')
  expect(typeIcon(rowOf({ title: 'page', fileCount: 3 }))).toBe('playlist')
  expect(typeIcon(rowOf({ title: 'no ending' }))).toBe('file')
  const piece = { kind: 'download-video', label: '', state: 'WAITING', share: 1, fraction: 0 } as const
  expect(typeIcon(rowOf({ title: 'lecture', pieces: [piece] }))).toBe('video')
})

test('masked secrets are recognised, encoded or not', () => {
  expect(isMasked('https://h.example/a?sig=•••')).toBe(true)
  expect(isMasked('https://h.example/a?sig=%E2%80%A2%E2%80%A2')).toBe(true)
  expect(isMasked('https://h.example/a?sig=abc')).toBe(false)
})
