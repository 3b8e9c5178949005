/** The icon in the system's tray: says what goes on, and brings the window back. */
import { Menu, nativeImage, Tray } from 'electron'
import { formatSpeed } from './texts.ts'
import type { Texts } from './texts.ts'

export interface TrayActions {
  show: () => void
  pauseAll: () => void
  resumeAll: () => void
  quit: () => void
}

export class TrayIcon {
  readonly #tray: Tray
  readonly #actions: TrayActions
  #texts: Texts

  constructor(icon: string, texts: Texts, actions: TrayActions) {
    this.#tray = new Tray(nativeImage.createFromPath(icon))
    this.#actions = actions
    this.#texts = texts
    this.#tray.on('click', actions.show)
    this.useTexts(texts)
    this.update({ running: 0, bytesPerSecond: 0 })
  }

  useTexts(texts: Texts): void {
    this.#texts = texts
    this.#tray.setContextMenu(
      Menu.buildFromTemplate([
        { id: 'show', label: texts.show, click: this.#actions.show },
        { type: 'separator' },
        { id: 'pause-all', label: texts.pauseAll, click: this.#actions.pauseAll },
        { id: 'resume-all', label: texts.resumeAll, click: this.#actions.resumeAll },
        { type: 'separator' },
        { id: 'quit', label: texts.quit, click: this.#actions.quit },
      ]),
    )
  }

  update({ running, bytesPerSecond }: { running: number; bytesPerSecond: number }): void {
    this.#tray.setToolTip(
      running === 0 ? this.#texts.idle : this.#texts.running(running, formatSpeed(bytesPerSecond)),
    )
  }
}
