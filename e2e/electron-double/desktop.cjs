'use strict'
/**
 * Everything that would reach the user's desktop: recorded (launched.cjs, `recorded`) and answered as if the user
 * had dismissed it. Tests replace single functions through `electronApp.evaluate` when another answer is needed.
 */
const { EventEmitter } = require('node:events')
const { promises: fs } = require('node:fs')
const { makeEvent, recorded } = require('./launched.cjs')

class Notification extends EventEmitter {
  static isSupported() {
    return true
  }
  constructor(options) {
    super()
    Object.assign(this, options)
  }
  show() {
    recorded.notifications.push(this)
    this.emit('show', makeEvent())
  }
  close() {
    this.emit('close', makeEvent())
  }
}

/** A dialog that answers `answer`; the last argument is the options, a window may stand before it. */
const dialogOf =
  (kind, answer) =>
  async (...args) => {
    recorded.dialogs.push({ kind, options: args.at(-1) })
    return answer
  }

exports.Notification = Notification

exports.dialog = {
  showOpenDialog: dialogOf('open', { canceled: true, filePaths: [] }),
  showSaveDialog: dialogOf('save', { canceled: true, filePath: '' }),
  showMessageBox: dialogOf('message', { response: 0, checkboxChecked: false }),
  showErrorBox: (title, content) => {
    recorded.dialogs.push({ kind: 'error', options: { title, content } })
  },
}

exports.shell = {
  openExternal: async (url) => {
    recorded.openedLinks.push(url)
  },
  openPath: async (path) => {
    recorded.openedPaths.push(path)
    return ''
  },
  showItemInFolder: (path) => {
    recorded.shownPaths.push(path)
  },
  trashItem: (path) => fs.rm(path, { recursive: true }),
  beep: () => undefined,
}

const blockers = new Set()
let lastBlocker = 0
exports.powerSaveBlocker = {
  start: () => {
    blockers.add(++lastBlocker)
    return lastBlocker
  },
  stop: (id) => blockers.delete(id),
  isStarted: (id) => blockers.has(id),
}

exports.powerMonitor = Object.assign(new EventEmitter(), {
  isOnBatteryPower: () => false,
  getSystemIdleTime: () => 0,
})

const display = {
  id: 1,
  bounds: { x: 0, y: 0, width: 1280, height: 800 },
  workArea: { x: 0, y: 0, width: 1280, height: 800 },
  workAreaSize: { width: 1280, height: 800 },
  scaleFactor: 1,
}
exports.screen = Object.assign(new EventEmitter(), {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
  getDisplayMatching: () => display,
})

let clipboardText = ''
exports.clipboard = {
  readText: () => clipboardText,
  writeText: (text) => {
    clipboardText = text
  },
  clear: () => {
    clipboardText = ''
  },
}

exports.globalShortcut = {
  register: () => true,
  unregister: () => undefined,
  unregisterAll: () => undefined,
  isRegistered: () => false,
}

/** As on a Linux desktop without a key store. */
exports.safeStorage = {
  isEncryptionAvailable: () => false,
  isAsyncEncryptionAvailable: async () => false,
  getSelectedStorageBackend: () => 'basic_text',
}
