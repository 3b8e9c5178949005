import { describe, expect, test } from 'vitest'
import type { Request, RequestKind } from '../../shared/task/model.ts'
import { tasks } from '../../../test/fakes/task-states.ts'
import { meet, preventsPublishing, stopsFor } from './request.ts'

const { parameters } = tasks.RUNNING

const requests: Record<RequestKind, Request> = {
  delete: { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 1 },
  cancel: { kind: 'cancel', at: 1 },
  redownload: { kind: 'redownload', at: 1 },
  edit: {
    kind: 'edit',
    at: 1,
    parameters,
    plan: null,
    keepsData: true,
    deleteFiles: false,
    startAfterEdit: true,
    thenPause: false,
  },
  select: { kind: 'select', at: 1, selected: ['film'], thenPause: false },
  pause: { kind: 'pause', at: 1 },
  requeue: { kind: 'requeue', at: 1, rank: 0 },
  exit: { kind: 'exit', at: 1, rank: 0 },
}

const order: RequestKind[] = ['delete', 'cancel', 'redownload', 'edit', 'select', 'pause', 'requeue', 'exit']

/** Rows: what is pending; columns: what is asked. `>` replaces, `=` is contained, `✗` conflicts, `+` merges. */
const table: Record<RequestKind, string> = {
  delete: '==✗✗✗===',
  cancel: '>=✗✗✗===',
  redownload: '>>=✗✗✗==',
  edit: '>>>=✗+==',
  select: '>>>>=+==',
  pause: '>>>>>===',
  requeue: '>>>>>>==',
  exit: '>>>>>>>=',
}

describe('a request meets a request', () => {
  for (const pending of order) {
    for (const [index, asked] of order.entries()) {
      const sign = table[pending][index]
      test(`${asked} while ${pending} is pending: ${sign ?? ''}`, () => {
        const meeting = meet(requests[pending], requests[asked])
        const kinds = { '>': 'set', '+': 'set', '=': 'contained', '✗': 'conflict' } as const
        expect(meeting.kind).toBe(kinds[sign as keyof typeof kinds])
        if (meeting.kind !== 'set') return
        expect(meeting.request.kind).toBe(sign === '+' ? pending : asked)
        if (sign === '+') expect(meeting.request).toMatchObject({ thenPause: true })
      })
    }
  }

  test('exit never conflicts', () => {
    for (const pending of order) expect(meet(requests[pending], requests.exit).kind).not.toBe('conflict')
  })

  test('an edit or a selection over a pause ends paused', () => {
    for (const kind of ['edit', 'select'] as const) {
      expect(meet(requests.pause, requests[kind])).toMatchObject({ request: { kind, thenPause: true } })
    }
  })

  test('a pause of the user replaces one of the schedule, which replaces nothing', () => {
    const bySchedule: Request = { kind: 'pause', at: 1, schedule: { resumeAt: 5 } }
    expect(meet(bySchedule, requests.pause)).toEqual({ kind: 'set', request: requests.pause })
    expect(meet(requests.pause, bySchedule).kind).toBe('contained')
    expect(meet(bySchedule, bySchedule).kind).toBe('contained')
    expect(meet(bySchedule, requests.edit)).toMatchObject({ request: { thenPause: false } })
  })

  test('a deletion with files is not contained in one without, the other way round it is', () => {
    const withFiles: Request = { kind: 'delete', at: 1, deleteFiles: true, purgeAt: 1 }
    expect(meet(requests.delete, withFiles).kind).toBe('conflict')
    expect(meet(withFiles, requests.delete).kind).toBe('contained')
  })

  test('another selection is not contained in the one that is pending', () => {
    expect(meet(requests.select, { kind: 'select', at: 2, selected: ['x'], thenPause: false }).kind).toBe(
      'conflict',
    )
  })
})

describe('what a request stops', () => {
  const stopped = (request: Request, task = tasks.MUXING) =>
    stopsFor(task, request).flatMap((effect) => (effect.kind === 'stop-steps' ? effect.stepIds : []))

  test('pause and requeue let a mux end, the others kill it', () => {
    expect(order.filter((kind) => stopped(requests[kind]).includes('mux'))).toEqual([
      'delete',
      'cancel',
      'redownload',
      'edit',
      'exit',
    ])
  })

  test('select stops the steps of files that are left out, and no other', () => {
    expect(stopped(requests.select, tasks.RUNNING)).toEqual([])
    const other: Request = { kind: 'select', at: 1, selected: ['another'], thenPause: false }
    expect(stopped(other, tasks.RUNNING)).toEqual(['video', 'audio'])
  })

  test('a step with leave to publish is never stopped', () => {
    const steps = tasks.MUXING.steps.map((step) => ({ ...step, publishing: { from: '/a', to: '/b' } }))
    for (const kind of order) expect(stopped(requests[kind], { ...tasks.MUXING, steps })).toEqual([])
  })

  test('only what makes the result unwanted prevents publishing', () => {
    expect(order.filter((kind) => preventsPublishing(requests[kind]))).toEqual([
      'delete',
      'cancel',
      'redownload',
      'edit',
    ])
  })
})
