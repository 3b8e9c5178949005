import type { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { eventChannel } from '../shared/contract/channels.ts'
import { MainWindow } from './main-window.ts'
import { textsFor } from './texts.ts'
import { WindowStateFile } from './window-state.ts'

/** The part of Electron that this module touches, as state. */
const electron = vi.hoisted(() => ({
  windows: [] as unknown[],
  messageBoxes: [] as string[],
  answer: { response: 0, checkboxChecked: false },
}))

vi.mock('electron', async () => {
  // what this file imports is not there yet when this runs
  const { EventEmitter } = await import('node:events')
  class PageLike extends EventEmitter {
    static last = 0
    readonly id = ++PageLike.last
    readonly sent: unknown[][] = []
    reloads = 0
    send(...message: unknown[]): void {
      this.sent.push(message)
    }
    reload(): void {
      this.reloads++
    }
  }
  class BrowserWindow extends EventEmitter {
    readonly webContents = new PageLike()
    readonly options: object
    #visible = false
    #destroyed = false
    constructor(options: object) {
      super()
      this.options = options
      electron.windows.push(this)
    }
    loadURL = (): Promise<void> => Promise.resolve()
    isVisible = (): boolean => this.#visible
    isFocused = (): boolean => this.#visible
    isMinimized = (): boolean => false
    isMaximized = (): boolean => false
    isDestroyed = (): boolean => this.#destroyed
    getNormalBounds = (): object => ({ x: 1, y: 2, width: 800, height: 600 })
    focus = (): void => undefined
    show(): void {
      this.#visible = true
      this.emit('show')
    }
    hide(): void {
      this.#visible = false
      this.emit('hide')
    }
    close(): void {
      const event = {
        prevented: false,
        preventDefault() {
          this.prevented = true
        },
      }
      this.emit('close', event)
      if (!event.prevented) this.destroy()
    }
    destroy(): void {
      this.#destroyed = true
      this.emit('closed')
    }
  }
  return {
    BrowserWindow,
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }] },
    dialog: {
      showMessageBox: (...args: { message: string }[]) => {
        electron.messageBoxes.push(args.at(-1)?.message ?? '')
        return Promise.resolve(electron.answer)
      },
    },
  }
})

interface WindowLike extends EventEmitter {
  webContents: EventEmitter & { id: number; sent: unknown[][]; reloads: number }
  close(): void
  hide(): void
  isVisible(): boolean
  isDestroyed(): boolean
}

let folder: string
let busy: boolean
let quits: number
let window: MainWindow
const texts = textsFor('en', 'en')

beforeEach(() => {
  vi.useFakeTimers()
  folder = mkdtempSync(path.join(os.tmpdir(), 'sluice-main-window-'))
  electron.windows.length = 0
  electron.messageBoxes.length = 0
  electron.answer = { response: 0, checkboxChecked: false }
  busy = false
  quits = 0
  window = new MainWindow({
    preload: '/preload.cjs',
    icon: '/icon.png',
    isPackaged: false,
    memory: new WindowStateFile(folder),
    texts: () => texts,
    isBusy: () => busy,
    isQuitting: () => false,
    quit: () => quits++,
    onFault: (error) => {
      throw error
    },
  })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

/** The window that was made last, shown as after its first paint. */
function shown(): WindowLike {
  window.show()
  const made = electron.windows.at(-1) as WindowLike
  made.emit('ready-to-show')
  return made
}

test('an idle window closes; the next one is made anew', () => {
  const first = shown()
  first.close()
  expect(first.isDestroyed()).toBe(true)
  expect(shown()).not.toBe(first)
})

test('while downloads run, closing asks; keeping going hides, quitting quits, cancelling does neither', async () => {
  busy = true
  for (const [response, hidden, quit] of [
    [2, false, 0],
    [0, true, 0],
    [1, false, 1],
  ] as const) {
    quits = 0
    electron.answer = { response, checkboxChecked: false }
    const made = shown()
    made.close()
    await vi.advanceTimersByTimeAsync(0)
    expect([made.isDestroyed(), !made.isVisible(), quits]).toEqual([false, hidden, quit])
  }
  expect(electron.messageBoxes).toEqual([texts.closeQuestion, texts.closeQuestion, texts.closeQuestion])
})

test('a remembered answer is not asked for again, also by the next start', async () => {
  busy = true
  electron.answer = { response: 0, checkboxChecked: true }
  shown().close()
  await vi.advanceTimersByTimeAsync(0)
  const made = shown()
  made.close()
  expect(made.isVisible()).toBe(false)
  expect(electron.messageBoxes).toHaveLength(1)
  expect(new WindowStateFile(folder).state.whenClosed).toBe('hide')
})

test('hidden for a minute, the window gives its renderer back, which is no reason to quit; shown, it is made anew', async () => {
  const made = shown()
  made.hide()
  await vi.advanceTimersByTimeAsync(59_000)
  expect(made.isDestroyed()).toBe(false)
  await vi.advanceTimersByTimeAsync(1000)
  expect(made.isDestroyed()).toBe(true)
  expect(window.isReleased).toBe(true)
  expect(shown()).not.toBe(made)
  expect(window.isReleased).toBe(false)
})

test('a window that is shown again within the minute stays', async () => {
  const made = shown()
  made.hide()
  await vi.advanceTimersByTimeAsync(30_000)
  window.show()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(made.isDestroyed()).toBe(false)
})

test('a crashed renderer is reloaded; one that keeps crashing only after asking', async () => {
  const { webContents } = shown()
  const crash = async (): Promise<void> => {
    webContents.emit('render-process-gone', {}, { reason: 'crashed' })
    await vi.advanceTimersByTimeAsync(0)
  }
  for (let i = 0; i < 3; i++) await crash()
  expect([webContents.reloads, electron.messageBoxes.length]).toEqual([3, 0])
  await crash()
  expect([webContents.reloads, electron.messageBoxes]).toEqual([4, [texts.crashQuestion]])
  electron.answer = { response: 1, checkboxChecked: false }
  for (let i = 0; i < 4; i++) await crash()
  expect(quits).toBe(1)
})

test('crashes that are far apart are not counted together', async () => {
  const { webContents } = shown()
  for (let i = 0; i < 10; i++) {
    webContents.emit('render-process-gone', {}, { reason: 'oom' })
    await vi.advanceTimersByTimeAsync(61_000)
  }
  expect([webContents.reloads, electron.messageBoxes.length]).toEqual([10, 0])
})

test('links from outside wait until a page of ours listens, and again after it was reloaded', () => {
  window.offerLinks(['https://host.example/a'])
  const { webContents } = shown()
  window.offerLinks(['https://host.example/b'])
  expect(webContents.sent).toEqual([])
  window.pageIsWatching({ id: webContents.id + 1000 } as never)
  expect(webContents.sent).toEqual([])
  window.pageIsWatching(webContents as never)
  const offer = (links: string[]): unknown[] => [eventChannel('links.offered'), { links }]
  expect(webContents.sent).toEqual([offer(['https://host.example/a', 'https://host.example/b'])])
  webContents.emit('did-navigate')
  window.offerLinks(['https://host.example/c'])
  expect(webContents.sent).toHaveLength(1)
  window.pageIsWatching(webContents as never)
  expect(webContents.sent).toHaveLength(2)
})
