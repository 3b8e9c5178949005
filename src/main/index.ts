/**
 * The desktop app. The order here matters: what confines pages and names the data folder comes before the app is
 * ready, the single-instance lock before anything of the data folder is touched, and the window before the service
 * has reconciled what the previous life left: calls wait for that, pixels need not.
 */
import path from 'node:path'
import { app, dialog, ipcMain, protocol, session, shell } from 'electron'
import { toErrorRecord } from '../shared/errors.ts'
import { composeHost } from './compose.ts'
import type { Host } from './compose.ts'
import { createDesktopCommands } from './desktop-commands.ts'
import type { CallDesktop } from './desktop-commands.ts'
import { bindContractToIpc } from './ipc-transport.ts'
import { linksAmong } from './links.ts'
import { LocalApi } from './local-api.ts'
import { MainWindow } from './main-window.ts'
import { Presence } from './presence.ts'
import { registerAppScheme, serveRenderer } from './protocol.ts'
import { stopBeforeQuit } from './quit.ts'
import { hardenApp, hardenSession } from './security.ts'
import { textsFor } from './texts.ts'
import { isTrustedSender } from './trusted-sender.ts'
import { WindowStateFile } from './window-state.ts'

const built = path.join(import.meta.dirname, '..')
const files = {
  preload: path.join(built, 'preload/index.cjs'),
  renderer: path.join(built, 'renderer'),
  icon: path.join(built, '../resources/icons/512x512.png'),
  trayIcon: path.join(built, '../resources/tray.png'),
}

const onFault = (error: unknown): void => {
  console.error(error)
}

hardenApp(app, shell)
registerAppScheme(protocol)
useDataFolder()
if (app.requestSingleInstanceLock()) run().catch(endWithMessage)
else app.quit()

/** Electron's own folder for the app, or the one that `--user-data-dir` names (tests, portable use). */
function useDataFolder(): void {
  const named = app.commandLine.getSwitchValue('user-data-dir')
  if (named !== '') app.setPath('userData', path.resolve(named))
}

async function run(): Promise<void> {
  // what comes from outside while we start is not lost
  const early: string[] = linksAmong(process.argv)
  let receiveLinks = (links: readonly string[]): void => {
    early.push(...links)
  }
  app.on('second-instance', (_event, argv) => {
    receiveLinks(linksAmong(argv))
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    receiveLinks(linksAmong([url]))
  })

  await app.whenReady()
  app.setAppUserModelId('app.sluice.desktop')
  if (app.isPackaged) app.setAsDefaultProtocolClient('sluice')
  hardenSession(session.defaultSession)
  serveRenderer(protocol, files.renderer)

  const window = await openHost()
  receiveLinks = (links) => {
    window.show()
    window.offerLinks(links)
  }
  window.offerLinks(early)
}

/** Composes the host, binds it to the desktop and to its window, and shows that. */
async function openHost(): Promise<MainWindow> {
  const dataFolder = app.getPath('userData')
  const host = await composeHost({
    dataFolder,
    downloadFolder: app.getPath('downloads'),
    version: app.getVersion(),
    onFault,
  })
  const localApi = new LocalApi({
    service: host.service,
    dataFolder,
    version: app.getVersion(),
    onProblem: (error) => {
      onFault(error)
      presence.tellProblem(error)
    },
  })
  const isQuitting = stopBeforeQuit(app, {
    hide: () => {
      window.hide()
    },
    stop: async (graceMs) => {
      await Promise.all([localApi.stop(), host.stop(graceMs)])
    },
    onFault,
  })
  const window: MainWindow = new MainWindow({
    ...files,
    isPackaged: app.isPackaged,
    memory: new WindowStateFile(dataFolder),
    texts: () => presence.texts,
    isBusy: () => presence.isBusy,
    isQuitting,
    quit: () => {
      app.quit()
    },
    onFault,
  })
  const presence: Presence = new Presence({
    app,
    service: host.service,
    window,
    trayIcon: files.trayIcon,
    openFile: (id) => void callDesktop('desktop.openFile', { id }, null),
    showInFolder: (id) => void callDesktop('desktop.showInFolder', { id }, null),
  })
  const callDesktop = createDesktopCommands({
    client: presence.client,
    dialog,
    shell,
    platform: process.platform,
    texts: () => presence.texts,
    onFault,
  })
  const started = host.service.start().then(() => presence.begin())
  bindWindow(window, host, started, callDesktop)
  window.show()
  await started
  localApi.begin().catch(onFault)
  return window
}

function bindWindow(window: MainWindow, host: Host, ready: Promise<void>, callDesktop: CallDesktop): void {
  bindContractToIpc({
    ipcMain,
    service: host.service,
    ready,
    // only the main window gets this far
    callDesktop: (name, input) => callDesktop(name, input, window.current),
    isTrusted: (event) => isTrustedSender(event, (id) => window.isOurs(id)),
    onWatching: (contents) => {
      window.pageIsWatching(contents)
    },
  })
  app.on('activate', () => {
    window.show()
  })
  app.on('window-all-closed', () => {
    // on macOS an app outlives its windows
    if (process.platform !== 'darwin' && !window.isReleased) app.quit()
  })
}

/** The app cannot start: says why in a sentence, since there is no window to say it in. */
function endWithMessage(error: unknown): void {
  onFault(error)
  const { message, hint } = toErrorRecord(error)
  dialog.showErrorBox(textsFor('system', app.getLocale()).cannotStart, `${message}.\n${hint}`)
  app.exit(1)
}
