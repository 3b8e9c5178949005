import { describe, expect, test } from 'vitest'
import { listKey, placeAfter } from './list-keys.ts'

const press = (key: string, held: { ctrlKey?: boolean; shiftKey?: boolean; altKey?: boolean } = {}) =>
  listKey({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...held })

describe('the keys of the list', () => {
  test('arrows select, with Shift they extend, with Ctrl they only move', () => {
    expect(press('ArrowDown')).toEqual({ kind: 'move', move: 'down', how: 'select' })
    expect(press('ArrowDown', { shiftKey: true })).toEqual({ kind: 'move', move: 'down', how: 'extend' })
    expect(press('ArrowDown', { ctrlKey: true })).toEqual({ kind: 'move', move: 'down', how: 'only-move' })
  })

  test('Ctrl Shift with an arrow is left to the command that moves tasks', () => {
    expect(press('ArrowUp', { ctrlKey: true, shiftKey: true })).toBeNull()
  })

  test('space pauses, with Ctrl it picks, with Shift it extends', () => {
    expect([press(' '), press(' ', { ctrlKey: true }), press(' ', { shiftKey: true })]).toEqual([
      { kind: 'pause-or-resume' },
      { kind: 'toggle' },
      { kind: 'extend-here' },
    ])
  })

  test('the menu key and Shift F10 open the menu', () => {
    expect([press('ContextMenu'), press('F10', { shiftKey: true }), press('F10')]).toEqual([
      { kind: 'menu' },
      { kind: 'menu' },
      null,
    ])
  })

  test('letters and Alt are for others', () => {
    expect([press('a'), press('ArrowDown', { altKey: true })]).toEqual([null, null])
  })
})

test('places stay within the list', () => {
  expect(placeAfter('up', 0, 5, 3)).toBe(0)
  expect(placeAfter('down', 4, 5, 3)).toBe(4)
  expect(placeAfter('page-down', 1, 5, 3)).toBe(4)
  expect(placeAfter('page-up', 4, 5, 3)).toBe(1)
  expect([placeAfter('first', 3, 5, 3), placeAfter('last', 3, 5, 3)]).toEqual([0, 4])
  expect([placeAfter('down', -1, 5, 3), placeAfter('up', -1, 5, 3)]).toEqual([0, 4])
  expect(placeAfter('down', -1, 0, 3)).toBeNull()
})
