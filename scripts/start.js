/**
 * `npm start`: from a fresh clone to the running product. Without arguments the app opens: in Electron when its
 * binary can be had, else the same window from the local server in a browser. With arguments it is `bin/sluice`.
 */
import { spawn } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'
import { findElectron } from './electron-binary.js'
import { pinnedNode, project, projectEnvironment } from './run.js'
import { ensureBuilt, ensureInstalled } from './set-up.js'

/** Runs in the foreground, in the folder that npm was called from, and ends as it ends. */
function become(program, programArgs) {
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const child = spawn(program, programArgs, { cwd, env: projectEnvironment(), stdio: 'inherit' })
  // the terminal interrupts both; the program decides what it means
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.once('error', (error) => {
    process.stderr.write(`sluice: ${program} could not be started (${error.code})\n`)
    process.exitCode = 1
  })
  child.once('exit', (code, signal) => {
    process.exitCode = signal === null ? code : 128 + os.constants.signals[signal]
  })
}

const sluice = (args) => become(pinnedNode, [path.join(project, 'bin/sluice'), ...args])

/** A program in Electron's place brings a screen of its own. */
function hasDisplay() {
  const { DISPLAY, WAYLAND_DISPLAY, ELECTRON_OVERRIDE_DIST_PATH } = process.env
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY || ELECTRON_OVERRIDE_DIST_PATH)
}

async function openApp() {
  const electron = hasDisplay()
    ? await findElectron({
        onDownload: () => process.stderr.write('sluice: fetching Electron (about 100 MB, once) …\n'),
      })
    : { reason: 'there is no display' }
  if ('path' in electron) {
    become(electron.path, [project])
    return
  }
  process.stderr.write(`sluice: no Electron here (${electron.reason}); the window opens in a browser\n`)
  sluice(['serve', '--open'])
}

await ensureInstalled()
await ensureBuilt()
const args = process.argv.slice(2)
if (args.length > 0) sluice(args)
else await openApp()
