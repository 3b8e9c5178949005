'use strict'
/**
 * Sessions, as far as an application hardens them: permissions and the blocking of requests. Handlers are really
 * asked. Where the application sets none, everything is allowed, as it is in Electron.
 */
const { EventEmitter } = require('node:events')
const { devtools } = require('./devtools.cjs')
const { protocol, toAppUrl } = require('./protocol.cjs')

/** The web's names of permissions and Electron's. */
const permissions = [
  ['geolocation', 'geolocation'],
  ['notifications', 'notifications'],
  ['midi', 'midi'],
  ['camera', 'media'],
  ['microphone', 'media'],
  ['clipboard-read', 'clipboard-read'],
  ['clipboard-write', 'clipboard-sanitized-write'],
]

class WebRequest {
  listener = null

  /** Like Electron's: (listener) or (filter, listener); null takes it away. Filters by URL are not applied. */
  onBeforeRequest(...args) {
    this.listener = args.at(-1)
  }
  onHeadersReceived() {}
  onBeforeSendHeaders() {}
  onCompleted() {}
  onErrorOccurred() {}

  /** Whether the application lets this request pass. */
  isAllowed(details) {
    if (this.listener === null) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.listener(details, (answer) => resolve(answer?.cancel !== true))
    })
  }
}

class Session extends EventEmitter {
  protocol = protocol
  webRequest = new WebRequest()
  #onRequest = null
  #onCheck = null
  cookies = { get: async () => [], set: async () => undefined, remove: async () => undefined }

  setPermissionRequestHandler(handler) {
    this.#onRequest = handler
  }
  setPermissionCheckHandler(handler) {
    this.#onCheck = handler
  }
  setDevicePermissionHandler(handler) {
    this.onDevice = handler
  }
  setDisplayMediaRequestHandler(handler) {
    this.onDisplayMedia = handler
  }
  setCertificateVerifyProc() {}
  setSpellCheckerEnabled() {}
  setUserAgent() {}
  getUserAgent() {
    return 'Electron'
  }
  async setProxy() {}
  async resolveProxy() {
    return 'DIRECT'
  }
  async clearStorageData() {}
  async clearCache() {}

  /** Not Electron's: gives Chromium the application's answers for a page of this origin. */
  async applyPermissions(webContents, pageOrigin) {
    for (const [name, electronName] of permissions) {
      const setting = (await this.#allows(webContents, electronName, toAppUrl(pageOrigin)))
        ? 'granted'
        : 'denied'
      await devtools.send('Browser.setPermission', { permission: { name }, origin: pageOrigin, setting })
    }
  }

  async #allows(webContents, permission, origin) {
    if (this.#onCheck !== null && this.#onCheck(webContents, permission, origin, {}) !== true) return false
    if (this.#onRequest === null) return true
    return new Promise((resolve) => {
      const details = { requestingUrl: origin, isMainFrame: true }
      this.#onRequest(webContents, permission, (granted) => resolve(granted === true), details)
    })
  }
}

const partitions = new Map()

exports.session = {
  defaultSession: new Session(),
  fromPartition(name) {
    if (!partitions.has(name)) partitions.set(name, new Session())
    return partitions.get(name)
  },
}
