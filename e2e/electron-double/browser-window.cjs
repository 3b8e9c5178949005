'use strict'
/** `BrowserWindow`: a window that exists only as state; its page is real (web-contents.cjs). */
const { EventEmitter } = require('node:events')
const { app } = require('./app.cjs')
const { devtools } = require('./devtools.cjs')
const { makeEvent, windows } = require('./launched.cjs')
const { WebContents } = require('./web-contents.cjs')

class BrowserWindow extends EventEmitter {
  #title
  #bounds
  #visible
  #focused = false
  #minimized = false
  #maximized = false
  #fullScreen = false
  #destroyed = false
  progress = -1

  constructor(options = {}) {
    super()
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready')
    this.#title = options.title ?? app.name
    this.#visible = options.show !== false
    const { x = 0, y = 0, width = 800, height = 600 } = options
    this.#bounds = { x, y, width, height }
    this.webContents = new WebContents(this, options)
    this.id = this.webContents.id
    windows.add(this)
    app.emit('browser-window-created', makeEvent(), this)
    app.emit('web-contents-created', makeEvent(), this.webContents)
  }

  loadURL(url) {
    return this.webContents.loadURL(url)
  }
  loadFile(file) {
    return this.webContents.loadFile(file)
  }
  reload() {
    this.webContents.reload()
  }
  capturePage() {
    return this.webContents.capturePage()
  }

  // ---- shown, hidden, focused
  show() {
    this.showInactive()
    this.focus()
  }
  showInactive() {
    this.#minimized = false
    if (this.#visible) return
    this.#visible = true
    this.emit('show', makeEvent())
  }
  hide() {
    this.#focused = false
    if (!this.#visible) return
    this.#visible = false
    this.emit('hide', makeEvent())
  }
  isVisible() {
    return this.#visible
  }
  focus() {
    this.#focused = true
    this.emit('focus', makeEvent())
    this.webContents.command('Page.bringToFront').catch(() => undefined) // closed meanwhile
  }
  blur() {
    this.#focused = false
    this.emit('blur', makeEvent())
  }
  isFocused() {
    return this.#focused
  }
  minimize() {
    this.#minimized = true
    this.emit('minimize', makeEvent())
  }
  restore() {
    this.#minimized = false
    this.emit('restore', makeEvent())
  }
  isMinimized() {
    return this.#minimized
  }
  maximize() {
    this.#maximized = true
    this.emit('maximize', makeEvent())
  }
  unmaximize() {
    this.#maximized = false
    this.emit('unmaximize', makeEvent())
  }
  isMaximized() {
    return this.#maximized
  }
  setFullScreen(on) {
    this.#fullScreen = on
  }
  isFullScreen() {
    return this.#fullScreen
  }

  // ---- size
  getBounds() {
    return { ...this.#bounds }
  }
  getNormalBounds() {
    return { ...this.#bounds }
  }
  getContentBounds() {
    return { ...this.#bounds }
  }
  getSize() {
    return [this.#bounds.width, this.#bounds.height]
  }
  getContentSize() {
    return this.getSize()
  }
  getPosition() {
    return [this.#bounds.x, this.#bounds.y]
  }
  setBounds(bounds) {
    this.#bounds = { ...this.#bounds, ...bounds }
    this.#resizePage().catch(() => undefined) // closed meanwhile
    this.emit('resize', makeEvent())
    if (bounds.x !== undefined || bounds.y !== undefined) this.emit('move', makeEvent())
  }
  async #resizePage() {
    await this.webContents.attached
    const { windowId } = await devtools.send('Browser.getWindowForTarget', {
      targetId: this.webContents.targetId,
    })
    const { width, height } = this.#bounds
    await devtools.send('Browser.setWindowBounds', { windowId, bounds: { width, height } })
  }
  setSize(width, height) {
    this.setBounds({ width, height })
  }
  setContentSize(width, height) {
    this.setBounds({ width, height })
  }
  setPosition(x, y) {
    this.setBounds({ x, y })
  }
  center() {}
  setMinimumSize() {}

  // ---- looks
  getTitle() {
    return this.#title
  }
  setTitle(title) {
    this.#title = title
  }
  setProgressBar(progress) {
    this.progress = progress
  }
  setBackgroundColor() {}
  setIcon() {}
  setMenu() {}
  removeMenu() {}
  setMenuBarVisibility() {}
  setOverlayIcon() {}
  flashFrame() {}

  // ---- the end
  isDestroyed() {
    return this.#destroyed
  }
  close() {
    const event = makeEvent()
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
  }
  destroy() {
    const { targetId } = this.webContents
    this.gone()
    if (targetId !== undefined) devtools.send('Target.closeTarget', { targetId }).catch(() => undefined)
  }
  /** not Electron's: the page is gone, by us or by Chromium */
  gone() {
    if (this.#destroyed) return
    this.#destroyed = true
    windows.delete(this)
    this.webContents.destroyed()
    this.emit('closed', makeEvent())
    app.windowClosed()
  }

  static getAllWindows() {
    return [...windows]
  }
  static getFocusedWindow() {
    return [...windows].find((window) => window.isFocused()) ?? null
  }
  static fromWebContents(webContents) {
    return [...windows].find((window) => window.webContents === webContents) ?? null
  }
  static fromId(id) {
    return [...windows].find((window) => window.id === id) ?? null
  }
}

exports.BrowserWindow = BrowserWindow
