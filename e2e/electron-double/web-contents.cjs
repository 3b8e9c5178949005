'use strict'
/**
 * `webContents`: one page in Chromium, driven over its DevTools session. The preload runs in an isolated world;
 * messages to it are evaluated there, messages from it come through a binding that only that world has.
 */
const { randomBytes } = require('node:crypto')
const { EventEmitter } = require('node:events')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { app } = require('./app.cjs')
const { devtools } = require('./devtools.cjs')
const { IpcMain, ipcMain } = require('./ipc-main.cjs')
const { launched, makeEvent, windows } = require('./launched.cjs')
const { nativeImage } = require('./native-image.cjs')
const { nativeTheme } = require('./native-theme.cjs')
const { codec, isolatedWorldScript, mainWorldScript } = require('./page-scripts.cjs')
const { answerRequest, toAppUrl, toPageUrl } = require('./protocol.cjs')
const { session } = require('./session.cjs')

/** The name that Electron gives this world too; Playwright relies on it. */
const worldName = 'Electron Isolated Context'
const binding = '__electronDoublePost'

/** A fault of the double, unless the window was just being closed. */
const report = (webContents) => (error) => {
  if (!webContents.isDestroyed()) console.error('electron-double:', error)
}

/** The part of WebFrameMain that applications look at. Only main frames send messages here. */
class MainFrame {
  parent = null
  detached = false
  processId = 1
  #webContents

  constructor(webContents) {
    this.#webContents = webContents
    this.frameTreeNodeId = webContents.id
    this.routingId = webContents.id
  }
  get top() {
    return this
  }
  get url() {
    return this.#webContents.getURL()
  }
  get origin() {
    return /^[a-z][\w+.-]*:\/\/[^/]+/.exec(this.url)?.[0] ?? 'null'
  }
  get frames() {
    return []
  }
  isDestroyed() {
    return this.#webContents.isDestroyed()
  }
  send(channel, ...args) {
    this.#webContents.send(channel, ...args)
  }
}

/** A promise that can be rejected, and that nobody has to wait for. */
function neverYet() {
  const ends = Promise.withResolvers()
  ends.promise.catch(() => undefined)
  return ends
}

let lastId = 0

class WebContents extends EventEmitter {
  id = ++lastId
  ipc = new IpcMain()
  targetId
  #window
  #preferences
  #session
  #page
  #url = ''
  #contextId
  #outbox = []
  #loading
  #allowedNavigation
  #openHandler = () => ({ action: 'allow' })
  #destroyed = false
  #crashed = false
  #whenCrashed = neverYet()
  #shownOnce = false

  constructor(window, options) {
    super()
    this.#window = window
    this.#preferences = options.webPreferences ?? {}
    this.#session =
      this.#preferences.session ??
      (this.#preferences.partition
        ? session.fromPartition(this.#preferences.partition)
        : session.defaultSession)
    this.mainFrame = new MainFrame(this)
    this.attached = this.#attach(options)
    this.attached.catch(report(this))
  }

  get session() {
    return this.#session
  }

  /** Electron's undocumented but long-lived accessor; tests assert on it. */
  getLastWebPreferences() {
    return { ...this.#preferences }
  }

  // ---- creation
  async #attach(options) {
    const { nodeIntegration, contextIsolation, sandbox } = this.#preferences
    if (nodeIntegration || contextIsolation === false || (sandbox === false && !app.sandboxEnabled)) {
      throw new Error('only sandboxed windows with context isolation and without Node are supported')
    }
    const { width = 800, height = 600 } = options
    const created = { url: 'about:blank', newWindow: true, width, height }
    this.targetId = (await devtools.send('Target.createTarget', created)).targetId
    const page = await devtools.attach(this.targetId)
    this.#page = page
    this.#listen(page)
    await page.send('Page.enable')
    await page.send('Runtime.enable')
    await page.send('Inspector.enable')
    await this.#installScripts(page)
    // everything, so that webRequest and navigation handlers see it
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    await nativeTheme.applyTo(page)
  }

  async #installScripts(page) {
    const key = randomBytes(12).toString('hex')
    const processFacts = {
      type: 'renderer',
      sandboxed: true,
      contextIsolated: true,
      platform: process.platform,
      arch: process.arch,
      versions: { ...process.versions },
      env: {},
      argv: this.#preferences.additionalArguments ?? [],
    }
    await page.send('Runtime.addBinding', { name: binding, executionContextName: worldName })
    // the order of registration is the order of running: the page's end of the link has to be there first
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldScript(key) })
    await page.send('Page.addScriptToEvaluateOnNewDocument', {
      worldName,
      source: isolatedWorldScript(key, this.#preferences.preload, processFacts),
    })
  }

  #listen(page) {
    page.on('Runtime.executionContextCreated', ({ context }) => {
      if (context.name !== worldName || context.auxData?.frameId !== this.targetId) return
      this.#contextId = context.uniqueId
      this.#flush()
    })
    page.on('Runtime.executionContextsCleared', () => (this.#contextId = undefined))
    page.on('Runtime.bindingCalled', ({ name, payload }) => {
      if (name === binding) this.#receive(codec.fromText(payload))
    })
    page.on('Page.frameStartedNavigating', (event) => this.#navigationStarted(event))
    page.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId === undefined) this.#navigated(frame.url + (frame.urlFragment ?? ''))
    })
    page.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId !== this.targetId) return
      this.#url = url
      this.emit('did-navigate-in-page', makeEvent(), this.getURL(), true)
    })
    page.on('Page.domContentEventFired', () => this.emit('dom-ready', makeEvent()))
    page.on('Page.loadEventFired', () => this.#loaded())
    page.on('Page.javascriptDialogOpening', () => undefined)
    page.on('Inspector.targetCrashed', () => {
      this.#crashed = true
      this.#contextId = undefined
      this.#whenCrashed.reject(new Error('The renderer has crashed'))
      this.emit('render-process-gone', makeEvent(), { reason: 'crashed', exitCode: 1 })
    })
    page.on('Fetch.requestPaused', (event) => void this.#requestPaused(event).catch(report(this)))
  }

  // ---- navigation
  #navigationStarted({ frameId, url, navigationType }) {
    const isMainFrame = frameId === this.targetId
    const isSameDocument = navigationType === 'sameDocument' || navigationType === 'historySameDocument'
    const details = {
      url: toAppUrl(url),
      isSameDocument,
      isMainFrame,
      frame: isMainFrame ? this.mainFrame : null,
    }
    this.emit('did-start-navigation', makeEvent(details), details.url, isSameDocument, isMainFrame)
  }

  #navigated(url) {
    this.#url = url
    if (this.#crashed) this.#whenCrashed = neverYet()
    this.#crashed = false
    this.emit('did-navigate', makeEvent(), this.getURL(), 200, 'OK')
    if (url.startsWith('https:')) {
      this.#session.applyPermissions(this, new URL(url).origin).catch(report(this))
    }
  }

  #loaded() {
    if (this.#url === 'about:blank' && this.#loading === undefined) return
    this.#loading?.resolve()
    this.#loading = undefined
    this.emit('did-finish-load', makeEvent())
    if (this.#shownOnce) return
    this.#shownOnce = true
    this.#window.emit('ready-to-show', makeEvent())
  }

  async #requestPaused({ requestId, request, resourceType, frameId, redirectedRequestId }) {
    const abort = (errorReason) => this.#page.send('Fetch.failRequest', { requestId, errorReason })
    if (resourceType === 'Document' && !this.#mayNavigate(request.url, frameId, redirectedRequestId)) {
      return abort('Aborted')
    }
    const details = {
      url: toAppUrl(request.url),
      method: request.method,
      webContentsId: this.id,
      resourceType: resourceType === 'Document' && frameId === this.targetId ? 'mainFrame' : 'other',
    }
    if (!(await this.#session.webRequest.isAllowed(details))) return abort('BlockedByClient')
    let answer
    try {
      answer = await answerRequest(request)
    } catch (error) {
      report(this)(error)
      return abort('Failed')
    }
    if (answer === undefined) await this.#page.send('Fetch.continueRequest', { requestId })
    else await this.#page.send('Fetch.fulfillRequest', { requestId, ...answer })
  }

  /** Asks the application about a navigation that the page, not the application, began. */
  #mayNavigate(pageUrl, frameId, redirectedRequestId) {
    const isMainFrame = frameId === this.targetId
    if (isMainFrame && this.#allowedNavigation === pageUrl) {
      this.#allowedNavigation = undefined
      return true
    }
    const url = toAppUrl(pageUrl)
    const event = makeEvent({ url, isMainFrame, frame: isMainFrame ? this.mainFrame : null })
    if (redirectedRequestId !== undefined) this.emit('will-redirect', event, url, false, isMainFrame)
    this.emit('will-frame-navigate', event)
    if (isMainFrame) this.emit('will-navigate', event, url)
    return !event.defaultPrevented
  }

  async loadURL(url) {
    await this.attached
    const pageUrl = toPageUrl(url)
    const loaded = new Promise((resolve, reject) => (this.#loading = { resolve, reject }))
    loaded.catch(() => undefined)
    this.#allowedNavigation = pageUrl
    const { errorText } = await this.#page.send('Page.navigate', { url: pageUrl })
    if (errorText !== undefined) {
      this.emit('did-fail-load', makeEvent(), -2, errorText, url, true)
      throw Object.assign(new Error(`${errorText} loading '${url}'`), { code: errorText, url })
    }
    return loaded
  }

  loadFile(file) {
    return this.loadURL(pathToFileURL(path.resolve(launched.root, file)).href)
  }

  reload() {
    this.#allowedNavigation = this.#url
    // a crashed page cannot reload itself, the browser can
    const again = this.#crashed
      ? this.#page.send('Page.navigate', { url: this.#url })
      : this.#page.send('Page.reload')
    again.catch(report(this))
  }

  // ---- messages
  #receive(message) {
    const event = makeEvent({
      type: 'frame',
      sender: this,
      senderFrame: this.mainFrame,
      frameId: this.id,
      processId: 1,
      ports: [],
      reply: (channel, ...args) => this.send(channel, ...args),
    })
    switch (message.kind) {
      case 'open':
        return this.#askedToOpen(message)
      case 'send':
        this.ipc.emit(message.channel, event, ...message.args)
        return ipcMain.emit(message.channel, event, ...message.args)
      case 'invoke':
        return void this.#invoke(event, message)
    }
  }

  async #invoke(event, { id, channel, args }) {
    try {
      const handler = this.ipc.handlerOf(channel) ?? ipcMain.handlerOf(channel)
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      const value = await handler(event, ...args)
      this.#post({ kind: 'reply', id, value })
    } catch (error) {
      console.error(`Error occurred in handler for '${channel}':`, error)
      this.#post({ kind: 'reply', id, error: String(error) })
    }
  }

  #askedToOpen({ url, name }) {
    const answer = this.#openHandler({
      url: toAppUrl(url),
      frameName: name,
      features: '',
      disposition: 'foreground-tab',
      referrer: { url: this.getURL(), policy: 'strict-origin-when-cross-origin' },
    })
    if (answer?.action !== 'deny') console.error('electron-double: pages cannot open windows here')
  }

  send(channel, ...args) {
    if (this.#destroyed) throw new TypeError('Object has been destroyed')
    if (this.#contextId !== undefined) this.#post({ kind: 'event', channel, args })
  }
  postMessage(channel, message) {
    this.send(channel, message)
  }

  /** Values are copied now; texts of one turn of the loop cross together. */
  #post(message) {
    this.#outbox.push(codec.toText(message))
    if (this.#outbox.length === 1) setImmediate(() => this.#flush())
  }

  #flush() {
    if (this.#destroyed || this.#contextId === undefined || this.#outbox.length === 0) return
    const texts = this.#outbox.splice(0).map((text) => JSON.stringify(text))
    this.#page
      .send('Runtime.evaluate', {
        expression: `__electronDoubleReceive(${texts.join(',')})`,
        uniqueContextId: this.#contextId,
      })
      .catch(() => undefined) // the document is gone and what it was told with it
  }

  // ---- what applications and Playwright ask of a page
  getURL() {
    return toAppUrl(this.#url)
  }
  getTitle() {
    return this.#window.getTitle()
  }
  isDestroyed() {
    return this.#destroyed
  }
  isCrashed() {
    return this.#crashed
  }
  isLoading() {
    return this.#loading !== undefined
  }
  isFocused() {
    return this.#window.isFocused()
  }
  setWindowOpenHandler(handler) {
    this.#openHandler = handler
  }
  async executeJavaScript(code) {
    await this.attached
    const evaluation = this.#page.send('Runtime.evaluate', {
      expression: code,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    // DevTools keeps what a crashed page was asked open for ever
    const { result, exceptionDetails } = await Promise.race([evaluation, this.#whenCrashed.promise])
    if (exceptionDetails === undefined) return result.value
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
  async capturePage() {
    await this.attached
    const { data } = await this.#page.send('Page.captureScreenshot', { format: 'png' })
    return nativeImage.createFromBuffer(Buffer.from(data, 'base64'))
  }
  forcefullyCrashRenderer() {
    this.#page.send('Page.crash').catch(() => undefined) // never answered: the page is gone
  }
  /** not Electron's: for the window and the theme */
  command(method, params) {
    return this.attached.then(() => this.#page.send(method, params))
  }
  close() {
    this.#window.close()
  }
  /** not Electron's: the window is gone */
  destroyed() {
    this.#destroyed = true
    this.emit('destroyed', makeEvent())
  }
  focus() {}
  openDevTools() {}
  closeDevTools() {}
  isDevToolsOpened() {
    return false
  }
  setZoomFactor() {}
  getZoomFactor() {
    return 1
  }
  setZoomLevel() {}
  setBackgroundThrottling() {}
  setVisualZoomLevelLimits() {
    return Promise.resolve()
  }

  static getAllWebContents() {
    return [...windows].map((window) => window.webContents)
  }
  static fromId(id) {
    return this.getAllWebContents().find((each) => each.id === id)
  }
  /** Playwright finds the window of a page by this. */
  static fromDevToolsTargetId(targetId) {
    return this.getAllWebContents().find((each) => each.targetId === targetId)
  }
  static getFocusedWebContents() {
    return this.getAllWebContents().find((each) => each.isFocused()) ?? null
  }
}

exports.WebContents = WebContents
