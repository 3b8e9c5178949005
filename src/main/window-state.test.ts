import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { initialSize, placeOnScreen, WindowStateFile } from './window-state.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1080 }
const second = { x: 1920, y: 0, width: 1280, height: 1024 }

describe('the place of the window', () => {
  test('is the remembered one when it can be reached', () => {
    const bounds = { x: 100, y: 50, width: 900, height: 600 }
    expect(placeOnScreen(bounds, [screen])).toEqual(bounds)
  })

  test('may be on the second screen while that is there', () => {
    const bounds = { x: 2000, y: 50, width: 900, height: 600 }
    expect(placeOnScreen(bounds, [screen, second])).toEqual(bounds)
    expect(placeOnScreen(bounds, [screen])).toEqual({ width: 900, height: 600 })
  })

  test.each([
    ['left of every screen', { x: -880, y: 50, width: 900, height: 600 }],
    ['with its title above the screen', { x: 100, y: -20, width: 900, height: 600 }],
    ['below the screen', { x: 100, y: 1079, width: 900, height: 600 }],
  ])('is left to the system when it was %s', (_where, bounds) => {
    expect(placeOnScreen(bounds, [screen])).toEqual({ width: 900, height: 600 })
  })

  test('is shrunk to a smaller screen, and never below what is usable', () => {
    expect(placeOnScreen({ x: 0, y: 0, width: 5000, height: 4000 }, [screen])).toMatchObject({
      width: 1920,
      height: 1080,
    })
    expect(placeOnScreen({ x: 0, y: 0, width: 150, height: 20 }, [screen])).toMatchObject({
      width: 480,
      height: 360,
    })
  })

  test('is the initial size at the first start', () => {
    expect(placeOnScreen(null, [screen])).toEqual(initialSize)
  })
})

describe('the file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-window-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  test('remembers over starts', () => {
    const bounds = { x: 1, y: 2, width: 800, height: 600 }
    new WindowStateFile(folder).update({ bounds, maximized: true })
    new WindowStateFile(folder).update({ whenClosed: 'hide' })
    expect(new WindowStateFile(folder).state).toEqual({ bounds, maximized: true, whenClosed: 'hide' })
  })

  test.each(['', '{', '[]', '{"bounds":{"x":1},"maximized":true}', '{"bounds":null,"maximized":1}'])(
    'counts as none when it holds %j',
    (content) => {
      writeFileSync(path.join(folder, 'window-state.json'), content)
      expect(new WindowStateFile(folder).state).toEqual({ bounds: null, maximized: false, whenClosed: 'ask' })
    },
  )

  test('makes the data folder when it is not there yet', () => {
    const inner = path.join(folder, 'a/b')
    new WindowStateFile(inner).update({ maximized: true })
    expect(readFileSync(path.join(inner, 'window-state.json'), 'utf8')).toContain('"maximized":true')
  })
})
