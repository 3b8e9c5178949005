'use strict'
/** `app`: names and paths, readiness, quitting. Process-level work is in lifecycle.cjs. */
const { EventEmitter } = require('node:events')
const os = require('node:os')
const path = require('node:path')
const { launched, makeEvent, windows } = require('./launched.cjs')
const { SingleInstance } = require('./single-instance.cjs')

class CommandLine {
  switches = new Map()

  appendSwitch(name, value = '') {
    const before = this.switches.get(name)
    const isList = /^(disable|enable)-features$/.test(name)
    this.switches.set(name, isList && before ? `${before},${value}` : value)
  }

  appendArgument() {}
  hasSwitch(name) {
    return this.switches.has(name)
  }
  getSwitchValue(name) {
    return this.switches.get(name) ?? ''
  }
  removeSwitch(name) {
    this.switches.delete(name)
  }
  /** not Electron's: all of them, for Chromium's command line */
  entries() {
    return [...this.switches]
  }
}

const folders = {
  downloads: 'Downloads',
  desktop: 'Desktop',
  documents: 'Documents',
  music: 'Music',
  pictures: 'Pictures',
  videos: 'Videos',
}

class App extends EventEmitter {
  commandLine = new CommandLine()
  exiting = false
  #paths = new Map()
  #name
  #ready = false
  #resolveReady
  #whenReady = new Promise((resolve) => {
    this.#resolveReady = resolve
  })
  #quitting = false
  #instance = new SingleInstance((message) => {
    this.emit('second-instance', makeEvent(), message.argv, message.cwd, message.data)
  })
  #loginItem = { openAtLogin: false }

  // ---- what the application is
  get isPackaged() {
    return launched.packaged
  }
  get name() {
    return this.#name ?? launched.manifest.productName ?? launched.manifest.name ?? 'Electron'
  }
  set name(value) {
    this.#name = value
  }
  getName() {
    return this.name
  }
  setName(value) {
    this.name = value
  }
  getVersion() {
    return launched.manifest.version ?? '0.0.0'
  }
  getAppPath() {
    return launched.root
  }
  getLocale() {
    return this.commandLine.getSwitchValue('lang') || 'en-US'
  }
  getSystemLocale() {
    return this.getLocale()
  }
  getPreferredSystemLanguages() {
    return [this.getLocale()]
  }

  getPath(name) {
    const set = this.#paths.get(name)
    if (set !== undefined) return set
    const home = os.homedir()
    switch (name) {
      case 'home':
        return home
      case 'appData':
        return process.env.XDG_CONFIG_HOME ?? path.join(home, '.config')
      case 'userData':
      case 'sessionData':
        return (
          this.commandLine.getSwitchValue('user-data-dir') || path.join(this.getPath('appData'), this.name)
        )
      case 'temp':
        return os.tmpdir()
      case 'exe':
        return launched.binary
      case 'logs':
        return path.join(this.getPath('userData'), 'logs')
      case 'crashDumps':
        return path.join(this.getPath('userData'), 'Crashpad')
      default:
        if (folders[name] === undefined) throw new Error(`Failed to get '${name}' path`)
        return path.join(home, folders[name])
    }
  }
  setPath(name, value) {
    this.#paths.set(name, value)
  }

  // ---- readiness
  isReady() {
    return this.#ready
  }
  whenReady() {
    return this.#whenReady
  }
  /** not Electron's: called by lifecycle.cjs when Chromium is there */
  becomeReady() {
    this.#ready = true
    this.emit('will-finish-launching')
    this.emit('ready', makeEvent(), {})
    this.#resolveReady()
  }

  // ---- one instance
  requestSingleInstanceLock(data = {}) {
    return this.#instance.request(this.getPath('userData'), data)
  }
  hasSingleInstanceLock() {
    return this.#instance.held
  }
  releaseSingleInstanceLock() {
    this.#instance.release()
  }

  // ---- quitting
  /** before-quit, then every window's close, then will-quit; any of them can prevent the rest. */
  quit() {
    if (this.#quitting) return
    this.#quitting = true
    setImmediate(() => {
      if (!this.#mayQuit()) this.#quitting = false
      else this.exit(0)
    })
  }

  #mayQuit() {
    const before = makeEvent()
    this.emit('before-quit', before)
    if (before.defaultPrevented) return false
    for (const window of [...windows]) {
      window.close()
      if (!window.isDestroyed()) return false
    }
    const will = makeEvent()
    this.emit('will-quit', will)
    return !will.defaultPrevented
  }

  exit(code = 0) {
    if (this.exiting) return
    this.exiting = true
    void this.leave(code)
  }

  /** not Electron's: a window was closed */
  windowClosed() {
    if (windows.size > 0 || this.#quitting || this.exiting) return
    if (this.listenerCount('window-all-closed') > 0) this.emit('window-all-closed')
    else this.quit()
  }

  // ---- parts of the desktop that need no more than an answer here
  getLoginItemSettings() {
    return this.#loginItem
  }
  setLoginItemSettings(settings) {
    this.#loginItem = settings
  }
  setAsDefaultProtocolClient() {
    return true
  }
  isDefaultProtocolClient() {
    return true
  }
  removeAsDefaultProtocolClient() {
    return true
  }
  setBadgeCount(count) {
    this.badgeCount = count
    return true
  }
  getBadgeCount() {
    return this.badgeCount ?? 0
  }
  enableSandbox() {
    if (this.#ready) throw new Error('app.enableSandbox() must be called before the app is ready')
    this.sandboxEnabled = true
  }
  disableHardwareAcceleration() {}
  setAppUserModelId() {}
  setAboutPanelOptions() {}
  focus() {}
  relaunch() {}
}

exports.app = new App()
