'use strict'
/**
 * What `electron` resolves to in the main process. One `exports.name =` line each: that is how Node finds the
 * names of a CommonJS module for `import { app } from 'electron'`.
 */
const desktop = require('./desktop.cjs')
const menus = require('./menus.cjs')

exports.app = require('./app.cjs').app
exports.BrowserWindow = require('./browser-window.cjs').BrowserWindow
exports.webContents = require('./web-contents.cjs').WebContents
exports.ipcMain = require('./ipc-main.cjs').ipcMain
exports.protocol = require('./protocol.cjs').protocol
exports.session = require('./session.cjs').session
exports.utilityProcess = require('./utility-process.cjs').utilityProcess
exports.nativeTheme = require('./native-theme.cjs').nativeTheme
exports.nativeImage = require('./native-image.cjs').nativeImage
exports.Menu = menus.Menu
exports.MenuItem = menus.MenuItem
exports.Tray = menus.Tray
exports.Notification = desktop.Notification
exports.dialog = desktop.dialog
exports.shell = desktop.shell
exports.powerSaveBlocker = desktop.powerSaveBlocker
exports.powerMonitor = desktop.powerMonitor
exports.screen = desktop.screen
exports.clipboard = desktop.clipboard
exports.globalShortcut = desktop.globalShortcut
exports.safeStorage = desktop.safeStorage
exports.net = { fetch: (...args) => fetch(...args), isOnline: () => true, online: true }
exports.crashReporter = { start: () => undefined }
exports.__recorded = require('./launched.cjs').recorded
