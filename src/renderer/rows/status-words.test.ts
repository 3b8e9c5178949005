import { beforeAll, describe, expect, test } from 'vitest'
import type { Pause } from '../../shared/task/model.ts'
import type { TaskRow } from '../../shared/view.ts'
import { plain, spans } from '../i18n/figures.ts'
import type { Words } from '../i18n/words.ts'
import { wordsOf } from '../i18n/words-of.ts'
import { errorOf, rowOf } from './row-of.ts'
import { folderName, statusTicks, statusWords } from './status-words.ts'

const now = new Date(2025, 5, 14, 12, 0).getTime()
const today = (hour: number, minute: number): number => new Date(2025, 5, 14, hour, minute).getTime()

let english: Words
let chinese: Words
beforeAll(async () => {
  english = await wordsOf('en')
  chinese = await wordsOf('zh-CN')
})
const said = (about: Partial<TaskRow>): string =>
  plain(statusWords(english, rowOf(about), now)).replaceAll('\u00a0', ' ')
const saidInChinese = (about: Partial<TaskRow>): string =>
  plain(statusWords(chinese, rowOf(about), now)).replaceAll('\u00a0', ' ')

const video = { kind: 'download-video', label: '1080p', activity: 'transferring' } as const
const audio = { kind: 'download-audio', label: 'en', activity: 'transferring' } as const

describe('a running task', () => {
  test('says what, how fast and how long', () => {
    const row = {
      state: 'RUNNING',
      active: [video],
      bytesPerSecond: 12_400_000,
      remainingSeconds: 180,
    } as const
    expect(said({ ...row, active: [...row.active] })).toBe('Downloading video · 12.4 MB/s · 3 min left')
    expect(saidInChinese({ ...row, active: [...row.active] })).toBe('正在下载视频 · 12.4 MB/s · 剩余 3 分钟')
  })

  test('names tracks that run side by side', () => {
    expect(said({ state: 'RUNNING', active: [video, audio], bytesPerSecond: 1e6 })).toBe(
      'Downloading video and audio · 1 MB/s',
    )
  })

  test('names the file of a playlist by its place', () => {
    const piece = (state: 'COMPLETED' | 'RUNNING' | 'WAITING') =>
      ({ kind: 'file', label: '', state, share: 1 / 3, fraction: 0 }) as const
    const row = {
      state: 'RUNNING',
      fileCount: 3,
      active: [video],
      bytesPerSecond: 8_100_000,
      remainingSeconds: 2580,
      pieces: [piece('COMPLETED'), piece('RUNNING'), piece('WAITING')],
    } satisfies Partial<TaskRow>
    expect(said(row)).toBe('Downloading file 2 of 3 · 8.1 MB/s · 43 min left')
  })

  test('shows no speed and no time when nothing flows', () => {
    const connecting = { ...video, activity: 'connecting' } as const
    expect(said({ state: 'RUNNING', active: [connecting], bytesPerSecond: 5e6, remainingSeconds: 60 })).toBe(
      'Downloading video · connecting',
    )
  })

  test('shows the time, but no speed, while it muxes', () => {
    const mux = { kind: 'mux', label: '', activity: 'muxing' } as const
    expect(said({ state: 'RUNNING', active: [mux], bytesPerSecond: 9e9, remainingSeconds: 12 })).toBe(
      'Muxing video and audio · 12 s left',
    )
  })

  test('says what a request is doing to it', () => {
    expect(said({ state: 'RUNNING', active: [video], stopRequested: 'pause' })).toBe('Pausing')
    const mux = { kind: 'mux', label: '', activity: 'muxing' } as const
    expect(said({ state: 'RUNNING', active: [mux], stopRequested: 'pause' })).toBe(
      'Pausing, after the muxing that runs',
    )
    expect(said({ state: 'RUNNING', stopRequested: 'cancel' })).toBe('Cancelling')
    expect(said({ state: 'RUNNING', stopRequested: 'requeue' })).toBe('Going back to the queue')
  })

  test('has at most three parts, whatever is known', () => {
    const row = { state: 'RUNNING', active: [video, { ...audio, activity: 'waiting' as const }] } as const
    const text = said({ ...row, active: [...row.active], bytesPerSecond: 1e6, remainingSeconds: 5 })
    expect(text.split(' · ').length).toBeLessThanOrEqual(3)
  })
})

describe('a waiting task', () => {
  test.each([
    [1, 'Waiting, first in line', '等待中，排在第一位'],
    [2, 'Waiting, second in line', '等待中，排在第二位'],
    [10, 'Waiting, tenth in line', '等待中，排在第十位'],
    [11, 'Waiting, 11th in line', '等待中，排在第 11 位'],
    [21, 'Waiting, 21st in line', '等待中，排在第 21 位'],
    [22, 'Waiting, 22nd in line', '等待中，排在第 22 位'],
    [113, 'Waiting, 113th in line', '等待中，排在第 113 位'],
  ])('at place %d says so', (queuePosition, text, chineseText) => {
    expect(said({ queuePosition })).toBe(text)
    expect(saidInChinese({ queuePosition })).toBe(chineseText)
  })

  test('that is held back says why', () => {
    expect(said({ queuePosition: 3, blockedBy: errorOf('STORAGE_FULL') })).toBe('Waiting: disk is full')
  })
})

describe('a paused task', () => {
  const paused = (pause: Pause): string => said({ state: 'PAUSED', pause })

  test('by the user says when', () => {
    expect(paused({ kind: 'user', at: today(9, 41) })).toBe('Paused by you at 09:41')
    expect(saidInChinese({ state: 'PAUSED', pause: { kind: 'user', at: today(9, 41) } })).toBe(
      '您于 09:41 暂停了此任务',
    )
  })

  test('for want of room says what it needs', () => {
    const error = errorOf('STORAGE_FULL', { neededBytes: 2_100_000_000 })
    const pause = {
      kind: 'storage',
      at: now,
      firstAt: now,
      folder: '/v',
      resumesByItself: true,
      error,
    } as const
    expect(paused(pause)).toBe('Paused: disk is full, needs 2.1 GB')
  })

  test('for the network says when it tries again, and ticks', () => {
    const error = errorOf('TIMEOUT')
    const pause = {
      kind: 'network',
      at: now,
      resumeAt: now + 40_000,
      resumeTo: 'head',
      failures: 1,
      error,
    } as const
    expect(paused(pause)).toBe('Paused: the host does not answer, next try in 40 s')
    expect(statusTicks(rowOf({ state: 'PAUSED', pause }))).toBe(true)
    expect(paused({ ...pause, resumeAt: now - 5000 })).toBe(
      'Paused: the host does not answer, tries again now',
    )
    expect(statusTicks(rowOf({ state: 'PAUSED', pause: { ...pause, resumeAt: null } }))).toBe(false)
  })

  test('for the source, a review, the schedule or crashes says which', () => {
    expect(paused({ kind: 'source', at: now, error: errorOf('LINK_EXPIRED') })).toBe(
      'Paused: link has expired',
    )
    expect(paused({ kind: 'review', at: now, error: errorOf('TOO_SHORT') })).toBe(
      'Needs review: it is much shorter than announced',
    )
    const short = errorOf('TOO_SHORT', { seconds: 12, expectedSeconds: 2880 })
    expect(paused({ kind: 'review', at: now, error: short })).toBe(
      'Needs review: 12 s long, 48 min announced',
    )
    expect(paused({ kind: 'schedule', at: now, resumeAt: today(23, 0) })).toBe('Paused until 23:00')
    expect(paused({ kind: 'schedule', at: now, resumeAt: null })).toBe('Paused: outside the allowed hours')
    expect(paused({ kind: 'crash', at: now, error: errorOf('WORKER_CRASHED') })).toMatch(
      /^Paused: it was running/,
    )
  })
})

describe('an ended task', () => {
  test('says where it is and what is missing', () => {
    const row = { state: 'COMPLETED', finishedAt: today(8, 17), folder: '/home/me/Audio' } as const
    expect(said(row)).toBe('Completed at 08:17, saved in Audio')
    expect(said({ ...row, skipped: [errorOf('NOT_FOUND')] })).toBe(
      'Completed at 08:17, without 1 optional part',
    )
    expect(saidInChinese(row)).toBe('已于 08:17 完成，保存在“Audio”')
  })

  test('says who did what, with the code last', () => {
    expect(said({ state: 'FAILED', error: errorOf('NOT_FOUND', { status: 404 }) })).toBe(
      'Failed: the host has no such file (404)',
    )
  })

  test('that was cancelled says what was kept', () => {
    expect(said({ state: 'CANCELLED', finishedAt: now - 86_400_000 })).toBe(
      'Cancelled yesterday, nothing was kept',
    )
  })
})

test('a folder is named by its last part, on every system', () => {
  expect(folderName('/home/me/Videos/')).toBe('Videos')
  expect(folderName('C:\\Users\\me\\Videos')).toBe('Videos')
  expect(folderName('/')).toBe('/')
})

test('only figures and names stand apart, not the words around them', () => {
  const error = errorOf('STORAGE_FULL', { neededBytes: 2_100_000_000 })
  const pause = {
    kind: 'storage',
    at: now,
    firstAt: now,
    folder: '/v',
    resumesByItself: true,
    error,
  } as const
  const parts = spans(statusWords(english, rowOf({ state: 'PAUSED', pause }), now))
  expect(parts.map((part) => [part.text.replaceAll('\u00a0', ' '), part.isFigure])).toEqual([
    ['Paused: disk is full, needs ', false],
    ['2.1 GB', true],
  ])
})
