/** The one place where a window is made, with the options that keep its page confined. */
import path from 'node:path'
import { BrowserWindow } from 'electron'
import type { BrowserWindowConstructorOptions, WebPreferences } from 'electron'
import { minimumSize } from './window-state.ts'

/** Spelled out in full, defaults too: a test compares them with what the window was given. */
export function webPreferences(preload: string, isPackaged: boolean): WebPreferences {
  return {
    preload,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    // a middle click would otherwise open links past our handlers
    disableBlinkFeatures: 'Auxclick',
    spellcheck: false,
    devTools: !isPackaged,
  }
}

export interface WindowOptions {
  place: { width: number; height: number; x?: number; y?: number }
  preload: string
  icon: string
  isPackaged: boolean
  /** colour before the first paint, so that nothing flashes */
  backgroundColor: string
}

/** Creates the window, hidden until its page has been painted. */
export function createWindow(options: WindowOptions): BrowserWindow {
  const settings: BrowserWindowConstructorOptions = {
    ...options.place,
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    show: false,
    title: 'Sluice',
    icon: path.resolve(options.icon),
    backgroundColor: options.backgroundColor,
    autoHideMenuBar: true,
    webPreferences: webPreferences(options.preload, options.isPackaged),
  }
  return new BrowserWindow(settings)
}
