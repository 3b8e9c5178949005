/**
 * The window over its whole life: made, hidden to the tray while downloads run, released after a minute out of
 * sight and made again, reloaded when its renderer crashes. Downloads live in the host and notice none of it.
 */
import { dialog, nativeTheme, screen } from 'electron'
import type { BrowserWindow, WebContents } from 'electron'
import { eventChannel } from '../shared/contract/channels.ts'
import { appStartUrl } from './app-url.ts'
import type { Texts } from './texts.ts'
import { createWindow } from './window.ts'
import { placeOnScreen } from './window-state.ts'
import type { WindowStateFile } from './window-state.ts'

/** Out of sight for so long, a window gives its renderer's memory back, in ms. */
const releaseAfterMs = 60_000
/** Bounds are written when the window has been left alone for so long, in ms. */
const rememberAfterMs = 500
/** More crashes than this within `crashWindowMs` are not worth another reload without being asked. */
const crashesInARow = 3
const crashWindowMs = 60_000

export interface MainWindowOptions {
  preload: string
  icon: string
  isPackaged: boolean
  memory: WindowStateFile
  texts: () => Texts
  /** whether downloads run that closing the window would concern */
  isBusy: () => boolean
  isQuitting: () => boolean
  quit: () => void
  onFault: (error: unknown) => void
}

export class MainWindow {
  readonly #options: MainWindowOptions
  #window: BrowserWindow | null = null
  #releasing = false
  #releaseTimer: NodeJS.Timeout | undefined
  #rememberTimer: NodeJS.Timeout | undefined
  #crashes: number[] = []
  #offered: string[] = []
  #isWatching = false

  constructor(options: MainWindowOptions) {
    this.#options = options
  }

  get current(): BrowserWindow | null {
    return this.#window
  }

  /** True while the window is away only to save memory: its going is no reason to quit. */
  get isReleased(): boolean {
    return this.#releasing
  }

  isOurs(webContentsId: number): boolean {
    return this.#window?.webContents.id === webContentsId
  }

  isInFront(): boolean {
    return this.#window !== null && this.#window.isVisible() && this.#window.isFocused()
  }

  /** Brings the window to the front, making it when there is none. */
  show(): void {
    clearTimeout(this.#releaseTimer)
    if (this.#window === null) {
      this.#open()
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
    this.#window.focus()
  }

  hide(): void {
    this.#window?.hide()
  }

  /** Links from outside: the window shows them in its add dialog, as soon as it is ready to. */
  offerLinks(links: readonly string[]): void {
    if (links.length === 0) return
    this.#offered.push(...links)
    this.#sendOffered()
  }

  /** The page listens to events from now on. */
  pageIsWatching(contents: WebContents): void {
    if (!this.isOurs(contents.id)) return
    this.#isWatching = true
    this.#sendOffered()
  }

  setProgress(fraction: number | null): void {
    this.#window?.setProgressBar(fraction ?? -1)
  }

  #sendOffered(): void {
    if (this.#window === null || !this.#isWatching || this.#offered.length === 0) return
    this.#window.webContents.send(eventChannel('links.offered'), { links: this.#offered.splice(0) })
  }

  #open(): void {
    const { memory, preload, icon, isPackaged } = this.#options
    const workAreas = screen.getAllDisplays().map((display) => display.workArea)
    const window = createWindow({
      place: placeOnScreen(memory.state.bounds, workAreas),
      preload,
      icon,
      isPackaged,
      backgroundColor: nativeTheme.shouldUseDarkColors ? '#191b1e' : '#ffffff',
    })
    this.#window = window
    this.#releasing = false
    if (memory.state.maximized) window.maximize()
    window.once('ready-to-show', () => {
      window.show()
    })
    this.#rememberBounds(window)
    this.#followClosing(window)
    this.#followPage(window)
    window.loadURL(appStartUrl).catch(this.#options.onFault)
  }

  #rememberBounds(window: BrowserWindow): void {
    const remember = (): void => {
      clearTimeout(this.#rememberTimer)
      if (window.isDestroyed()) return
      this.#options.memory.update({ bounds: window.getNormalBounds(), maximized: window.isMaximized() })
    }
    const rememberSoon = (): void => {
      clearTimeout(this.#rememberTimer)
      this.#rememberTimer = setTimeout(remember, rememberAfterMs)
    }
    window.on('resize', rememberSoon)
    window.on('move', rememberSoon)
    window.on('close', remember)
  }

  #followClosing(window: BrowserWindow): void {
    window.on('close', (event) => {
      if (this.#options.isQuitting() || !this.#options.isBusy()) return
      const { whenClosed } = this.#options.memory.state
      if (whenClosed === 'quit') return
      event.preventDefault()
      if (whenClosed === 'hide') window.hide()
      else this.#askAboutClosing(window).catch(this.#options.onFault)
    })
    window.on('hide', () => {
      clearTimeout(this.#releaseTimer)
      this.#releaseTimer = setTimeout(() => {
        this.#release(window)
      }, releaseAfterMs)
    })
    window.on('show', () => {
      clearTimeout(this.#releaseTimer)
    })
    window.on('closed', () => {
      clearTimeout(this.#releaseTimer)
      clearTimeout(this.#rememberTimer)
      this.#window = null
      this.#isWatching = false
    })
  }

  #release(window: BrowserWindow): void {
    if (window.isDestroyed() || window.isVisible()) return
    this.#releasing = true
    window.destroy()
  }

  async #askAboutClosing(window: BrowserWindow): Promise<void> {
    const texts = this.#options.texts()
    const { response, checkboxChecked } = await dialog.showMessageBox(window, {
      type: 'question',
      message: texts.closeQuestion,
      detail: texts.closeDetail,
      buttons: [texts.keepGoing, texts.quit, texts.cancel],
      defaultId: 0,
      cancelId: 2,
      checkboxLabel: texts.remember,
    })
    const choice = (['hide', 'quit', 'cancel'] as const)[response] ?? 'cancel'
    if (choice === 'cancel') return
    if (checkboxChecked) this.#options.memory.update({ whenClosed: choice })
    if (choice === 'hide') window.hide()
    else this.#options.quit()
  }

  #followPage(window: BrowserWindow): void {
    window.webContents.on('did-navigate', () => {
      this.#isWatching = false
    })
    window.webContents.on('render-process-gone', (_event, { reason }) => {
      this.#isWatching = false
      if (reason === 'clean-exit' || this.#options.isQuitting()) return
      this.#reloadAfterCrash(window).catch(this.#options.onFault)
    })
  }

  async #reloadAfterCrash(window: BrowserWindow): Promise<void> {
    const now = Date.now()
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMs), now]
    if (this.#crashes.length > crashesInARow) {
      const texts = this.#options.texts()
      const { response } = await dialog.showMessageBox({
        type: 'error',
        message: texts.crashQuestion,
        detail: texts.crashDetail,
        buttons: [texts.tryAgain, texts.quit],
        defaultId: 0,
        cancelId: 0,
      })
      if (response === 1) {
        this.#options.quit()
        return
      }
      this.#crashes = []
    }
    if (!window.isDestroyed()) window.webContents.reload()
  }
}
