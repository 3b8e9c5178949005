'use strict'
/** `ipcMain`, and the same per window as `webContents.ipc`. */
const { EventEmitter } = require('node:events')

class IpcMain extends EventEmitter {
  #handlers = new Map()

  handle(channel, handler) {
    if (this.#handlers.has(channel))
      throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }
  handleOnce(channel, handler) {
    this.handle(channel, (...args) => {
      this.removeHandler(channel)
      return handler(...args)
    })
  }
  removeHandler(channel) {
    this.#handlers.delete(channel)
  }
  /** not Electron's */
  handlerOf(channel) {
    return this.#handlers.get(channel)
  }
}

exports.IpcMain = IpcMain
exports.ipcMain = new IpcMain()
