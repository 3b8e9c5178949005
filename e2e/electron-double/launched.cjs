'use strict'
/** What the parts of the double share and none of them owns. Filled by boot.cjs before anything else runs. */

/** How the program was started. */
exports.launched = { binary: process.execPath, root: process.cwd(), manifest: {}, packaged: false, args: [] }

/** Every open window. */
exports.windows = new Set()

/**
 * What the application asked the desktop to do, for tests to read: `require('electron').__recorded` in
 * `electronApp.evaluate` (undefined in the real Electron).
 */
exports.recorded = {
  openedLinks: [],
  openedPaths: [],
  shownPaths: [],
  notifications: [],
  dialogs: [],
  trays: [],
}

/** An event object as Electron's emitters pass it first. */
exports.makeEvent = (fields = {}) => ({
  defaultPrevented: false,
  preventDefault() {
    this.defaultPrevented = true
  },
  ...fields,
})
