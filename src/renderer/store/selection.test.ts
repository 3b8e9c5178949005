import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  extendTo,
  inParts,
  isSelected,
  moveTo,
  noCursor,
  selectAll,
  selectedCount,
  selectNone,
  selectOnly,
  selectionTargets,
  some,
  toggle,
  withoutGone,
} from './selection.ts'
import type { Cursor } from './selection.ts'

const order = ['a', 'b', 'c', 'd', 'e']
const idsOf = ({ selection }: Cursor): string[] | 'all' =>
  selection.kind === 'all' ? 'all' : [...selection.ids]

describe('the cursor of the list', () => {
  test('a click selects one and begins a range', () => {
    expect(idsOf(selectOnly('b'))).toEqual(['b'])
    expect(idsOf(extendTo(selectOnly('b'), 'd', order))).toEqual(['b', 'c', 'd'])
  })

  test('a range turns around its anchor', () => {
    const down = extendTo(selectOnly('c'), 'e', order)
    expect(idsOf(extendTo(down, 'a', order))).toEqual(['a', 'b', 'c'])
  })

  test('a range with Ctrl keeps what was selected', () => {
    const picked = toggle(selectOnly('a'), 'c', order)
    expect(idsOf(extendTo(picked, 'e', order, true))).toEqual(['a', 'c', 'd', 'e'])
  })

  test('a range from an anchor that is gone begins where it ends', () => {
    expect(idsOf(extendTo({ ...noCursor, anchor: 'gone' }, 'c', order))).toEqual(['c'])
  })

  test('Ctrl takes single ones in and out, out of everything too', () => {
    expect(idsOf(toggle(toggle(noCursor, 'b', order), 'd', order))).toEqual(['b', 'd'])
    expect(idsOf(toggle(toggle(noCursor, 'b', order), 'b', order))).toEqual([])
    expect(idsOf(toggle(selectAll(noCursor), 'b', order))).toEqual(['a', 'c', 'd', 'e'])
  })

  test('moving alone selects nothing', () => {
    const moved = moveTo(selectOnly('a'), 'c')
    expect([idsOf(moved), moved.active, moved.anchor]).toEqual([['a'], 'c', 'a'])
  })

  test('everything is selected without naming it', () => {
    const all = selectAll(noCursor).selection
    expect(isSelected(all, 'not loaded')).toBe(true)
    expect(selectedCount(all, 100_000)).toBe(100_000)
    expect(selectionTargets(all, { filter: 'failed', search: 'x' })).toEqual([
      { query: { filter: 'failed', search: 'x' } },
    ])
    expect(idsOf(selectNone(selectAll(noCursor)))).toEqual([])
  })

  test('many ids become as many commands as the contract asks for', () => {
    const ids = Array.from({ length: 20_001 }, (_, index) => String(index))
    expect(inParts(ids).map((part) => part.length)).toEqual([10_000, 10_000, 1])
    expect(selectionTargets(some([]), { filter: 'all', search: '' })).toEqual([])
  })
})

describe('when rows have gone', () => {
  const gone = (cursor: Cursor, ...ids: string[]): Cursor =>
    withoutGone(
      cursor,
      new Set(ids),
      order,
      order.filter((id) => !ids.includes(id)),
    )

  test('the keyboard stays in its place, on the row that moved up', () => {
    expect(gone(selectOnly('b'), 'b').active).toBe('c')
    expect(gone(moveTo(selectOnly('a'), 'c'), 'b', 'c').active).toBe('d')
  })

  test('at the end it goes to the last row, in an empty list nowhere', () => {
    expect(gone(selectOnly('e'), 'e').active).toBe('d')
    expect(gone(selectOnly('e'), ...order).active).toBeNull()
  })

  test('what stayed keeps its selection', () => {
    expect(idsOf(gone(extendTo(selectOnly('a'), 'c', order), 'b'))).toEqual(['a', 'c'])
    expect(idsOf(gone(selectAll(noCursor), 'b'))).toBe('all')
  })
})

test('whatever is pressed, only ids of the list are ever selected', () => {
  const id = fc.constantFrom(...order)
  const press = fc.oneof(
    id.map((each) => (): Cursor => selectOnly(each)),
    id.map((each) => (cursor: Cursor) => toggle(cursor, each, order)),
    fc.tuple(id, fc.boolean()).map(
      ([each, adds]) =>
        (cursor: Cursor) =>
          extendTo(cursor, each, order, adds),
    ),
    id.map((each) => (cursor: Cursor) => moveTo(cursor, each)),
    fc.constant(selectAll),
    fc.constant(selectNone),
  )
  fc.assert(
    fc.property(fc.array(press, { maxLength: 20 }), (presses) => {
      const end = presses.reduce<Cursor>((cursor, each) => each(cursor), noCursor)
      if (end.selection.kind === 'some') {
        expect([...end.selection.ids].every((each) => order.includes(each))).toBe(true)
      }
      expect(end.active === null || order.includes(end.active)).toBe(true)
    }),
  )
})
