'use strict'
/** `nativeTheme`: what is set here decides `prefers-color-scheme` in the pages. */
const { EventEmitter } = require('node:events')
const { windows } = require('./launched.cjs')

class NativeTheme extends EventEmitter {
  #source = 'system'

  get themeSource() {
    return this.#source
  }
  set themeSource(source) {
    this.#source = source
    for (const { webContents } of windows) {
      webContents.attached
        .then(() => this.applyTo({ send: (...args) => webContents.command(...args) }))
        .catch(() => undefined) // closed meanwhile
    }
    this.emit('updated')
  }
  get shouldUseDarkColors() {
    return this.#source === 'dark'
  }

  /** not Electron's */
  applyTo(page) {
    const features = this.#source === 'system' ? [] : [{ name: 'prefers-color-scheme', value: this.#source }]
    return page.send('Emulation.setEmulatedMedia', { features })
  }
}

exports.nativeTheme = new NativeTheme()
