import { describe, expect, test } from 'vitest'
import { rowOf } from '../rows/row-of.ts'
import {
  applyChanged,
  applyRemoved,
  applySnapshot,
  applyWindow,
  beforeFirstEvent,
  emptyList,
  idAt,
  indexOf,
  passOver,
} from './list-state.ts'
import type { ListState } from './list-state.ts'

const counts = { all: 3, running: 0, waiting: 3, paused: 0, completed: 0, failed: 0 }
const rows = ['a', 'b', 'c'].map((id) => rowOf({ id, title: id }))
const window = { ids: ['a', 'b', 'c'], total: 3, counts }
const known: ListState = {
  ...applySnapshot(emptyList, { ...window, rows }, 0),
  epoch: 'one',
  revision: 5,
}
const stamp = (revision: number, epoch = 'one') => ({ epoch, revision })

describe('following the host’s events', () => {
  test('a patch changes only what it names', () => {
    const { list, needsSnapshot } = applyChanged(known, { ...stamp(6), patches: [{ id: 'b', progress: 50 }] })
    expect(list.rows.get('b')).toEqual(rowOf({ id: 'b', title: 'b', progress: 50 }))
    expect(list.rows.get('a')).toBe(known.rows.get('a'))
    expect([list.revision, needsSnapshot]).toEqual([6, false])
  })

  test('patches of rows that are not shown leave the rows as they are', () => {
    const { list } = applyChanged(known, { ...stamp(6), patches: [{ id: 'elsewhere', progress: 50 }] })
    expect(list.rows).toBe(known.rows)
  })

  test('a missing event is noticed; what came is still applied', () => {
    const { list, needsSnapshot } = applyChanged(known, { ...stamp(7), patches: [{ id: 'b', progress: 50 }] })
    expect([list.rows.get('b')?.progress, needsSnapshot]).toEqual([50, true])
  })

  test('a new connection counts anew, and keeps what is shown', () => {
    const fresh = beforeFirstEvent(known)
    const { list, needsSnapshot } = applyChanged(fresh, { ...stamp(1), patches: [{ id: 'b', progress: 50 }] })
    expect([list.ids, list.rows.get('b')?.progress, needsSnapshot]).toEqual([known.ids, 50, false])
  })

  test('an event about another window is only counted', () => {
    const passed = passOver(known, stamp(6))
    expect([passed.revision, passed.rows]).toEqual([6, known.rows])
  })

  test('another epoch is a new life of the host: nothing is applied and a snapshot is needed', () => {
    const { list, needsSnapshot } = applyChanged(known, {
      ...stamp(1, 'two'),
      patches: [{ id: 'b', progress: 50 }],
    })
    expect([list.rows, list.epoch, list.revision, needsSnapshot]).toEqual([known.rows, 'two', 1, true])
  })

  test('removed tasks go at once', () => {
    const { list } = applyRemoved(known, { ...stamp(6), ids: ['b', 'elsewhere'] })
    expect([list.ids, list.total, list.rows.has('b')]).toEqual([['a', 'c'], 2, false])
  })

  test('a window brings its new rows and drops those that left', () => {
    const { list, needsSnapshot } = applyWindow(known, {
      ...stamp(6),
      window: { ids: ['d', 'a'], total: 2, counts },
      rows: [rowOf({ id: 'd' })],
    })
    expect([[...list.rows.keys()], needsSnapshot]).toEqual([['d', 'a'], false])
  })

  test('a window with a row that nobody has asks for a snapshot', () => {
    const event = { ...stamp(6), window: { ids: ['a', 'x'], total: 2, counts }, rows: [] }
    expect(applyWindow(known, event).needsSnapshot).toBe(true)
  })

  test('a snapshot is the whole truth, at its place in the list', () => {
    const list = applySnapshot(known, { ids: ['z'], total: 900, counts, rows: [rowOf({ id: 'z' })] }, 400)
    expect([[...list.rows.keys()], list.isKnown]).toEqual([['z'], true])
    expect([idAt(list, 400), idAt(list, 0), indexOf(list, 'z'), indexOf(list, 'a')]).toEqual([
      'z',
      undefined,
      400,
      -1,
    ])
  })
})
