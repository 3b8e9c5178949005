import { describe, expect, test } from 'vitest'
import { rowOf } from '../../rows/row-of.ts'
import { initialState } from '../../store/app-state.ts'
import type { AppState } from '../../store/app-state.ts'
import { emptyList } from '../../store/list-state.ts'
import { noCursor, selectAll, some } from '../../store/selection.ts'
import { commands, situationOf, situationOfRow } from './commands.ts'
import { fits } from './palette.tsx'
import { ariaKeyShortcut, matches, shortcutParts } from './shortcut.ts'

const failed = rowOf({ id: 'f', state: 'FAILED' })
const running = rowOf({ id: 'r', state: 'RUNNING' })
const state: AppState = {
  ...initialState,
  list: {
    ...emptyList,
    ids: ['f', 'r'],
    total: 2,
    rows: new Map([
      ['f', failed],
      ['r', running],
    ]),
  },
}
const selecting = (...ids: string[]): AppState => ({
  ...state,
  cursor: { ...noCursor, selection: some(ids) },
})

describe('commands', () => {
  test('are off with a reason when nothing is selected', () => {
    const situation = situationOf(state)
    expect(commands.pause.refusal(situation)).toBe('refusal.noneSelected')
    expect(commands.remove.refusal(situation)).toBe('refusal.noneSelected')
    expect(commands.add.refusal(situation)).toBeNull()
  })

  test('are off with a reason when none of the selected can do it', () => {
    expect(commands.pause.refusal(situationOf(selecting('f')))).toBe('refusal.noneFits')
    expect(commands.pause.refusal(situationOf(selecting('f', 'r')))).toBeNull()
    expect(commands.edit.refusal(situationOf(selecting('f', 'r')))).toBe('refusal.oneOnly')
  })

  test('name restart by what it does', () => {
    expect(commands.restart.label(situationOf(selecting('f')))).toBe('action.retry')
    expect(commands.restart.label(situationOf(state))).toBe('action.resume')
  })

  test('that the host cannot carry out are not there', () => {
    expect(commands.open.isAbsent?.(situationOf(state))).toBe(true)
    const info = {
      version: '1',
      host: 'electron',
      capabilities: ['desktop.openFile'],
      ffmpeg: null,
      platform: '',
    } as const
    expect(
      commands.open.isAbsent?.(
        situationOf({ ...state, info: { ...info, capabilities: [...info.capabilities] } }),
      ),
    ).toBe(false)
  })

  test('aim at the query when everything is selected, and at one row for its own buttons', () => {
    const all = { ...state, cursor: selectAll(noCursor) }
    expect(situationOf(all).targets).toEqual([{ query: { filter: 'all', search: '' } }])
    expect(situationOfRow(all, running).targets).toEqual([{ ids: ['r'] }])
  })

  test('have no key twice', () => {
    const keys = Object.values(commands).flatMap(({ shortcut }) =>
      shortcut === undefined ? [] : [shortcutParts(shortcut, false).join(' ')],
    )
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('keys', () => {
  const keys = { key: 'n', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false }
  const add = { key: 'n', mod: true }

  test('use Ctrl, or ⌘ on a Mac, and nothing else besides', () => {
    expect(matches(add, { ...keys, ctrlKey: true }, false)).toBe(true)
    expect(matches(add, { ...keys, metaKey: true }, true)).toBe(true)
    expect(matches(add, { ...keys, metaKey: true }, false)).toBe(false)
    expect(matches(add, { ...keys, ctrlKey: true, shiftKey: true }, false)).toBe(false)
    expect(matches(add, { ...keys, ctrlKey: true, altKey: true }, false)).toBe(false)
    expect(matches(add, keys, false)).toBe(false)
  })

  test('do not mind a capital letter', () => {
    const pauseAll = { key: 'p', mod: true, shift: true }
    expect(matches(pauseAll, { ...keys, key: 'P', ctrlKey: true, shiftKey: true }, false)).toBe(true)
  })

  test('are named as the platform prints them', () => {
    const toFront = { key: 'ArrowUp', mod: true, shift: true }
    expect(shortcutParts(toFront, false)).toEqual(['Ctrl', 'Shift', '↑'])
    expect(shortcutParts(toFront, true)).toEqual(['⇧', '⌘', '↑'])
    expect(shortcutParts({ key: 'Delete' }, true)).toEqual(['⌫'])
    expect(ariaKeyShortcut(toFront, false)).toBe('Control+Shift+ArrowUp')
  })
})

test('the palette finds words in any order', () => {
  expect(fits('Move to the front', 'front mo')).toBe(true)
  expect(fits('Move to the front', 'end')).toBe(false)
  expect(fits('Move to the front', '')).toBe(true)
})
