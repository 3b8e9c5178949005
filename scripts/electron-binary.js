/**
 * Answers whether Electron can be started here: finds its binary, or fetches it when the network lets us, within
 * bounds and without a word. Plain Node, so that it can run before anything is built.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'

const root = path.join(import.meta.dirname, '..')
const electronPackage = path.join(root, 'node_modules/electron')
const probeTimeoutMs = 3000
const defaultDownloadTimeoutMs = 180_000

/**
 * Never throws and never takes longer than the probe (3 s) and the download's limit together.
 *
 * @param {{ onDownload?: () => void, downloadTimeoutMs?: number }} [options] `onDownload` is called before a
 *   download of about 100 MB begins, so that the caller can say so
 * @returns {Promise<{ path: string } | { reason: string }>} the program to start, or why there is none (a part of
 *   a sentence, without a full stop)
 */
export async function findElectron(options = {}) {
  const { onDownload = () => undefined, downloadTimeoutMs = defaultDownloadTimeoutMs } = options
  if (!existsSync(electronPackage)) return { reason: 'its package is not installed' }
  const present = installedBinary()
  if (present !== undefined) return { path: present }
  const host = downloadHost()
  if (host !== undefined && !(await answers(host))) return { reason: `${host} cannot be reached` }
  onDownload()
  const failure = await download(downloadTimeoutMs)
  if (failure !== undefined) return { reason: failure }
  const fetched = installedBinary()
  return fetched === undefined ? { reason: 'its download left no program' } : { path: fetched }
}

/** As the package itself looks for it: ELECTRON_OVERRIDE_DIST_PATH first, then what was downloaded. */
function installedBinary() {
  const note = path.join(electronPackage, 'path.txt')
  const name = existsSync(note) ? readFileSync(note, 'utf8') : undefined
  const override = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (override) return existing(path.resolve(override, name ?? 'electron'))
  return name === undefined ? undefined : existing(path.join(electronPackage, 'dist', name))
}

function existing(file) {
  return existsSync(file) ? file : undefined
}

/** The host that the binary comes from; undefined when a proxy stands between, which only a download can tell. */
function downloadHost() {
  const { env } = process
  if (env.HTTPS_PROXY || env.https_proxy || env.ELECTRON_GET_USE_PROXY) return undefined
  const mirror = env.ELECTRON_MIRROR ?? env.npm_config_electron_mirror ?? ''
  return URL.canParse(mirror) ? new URL(mirror).hostname : 'github.com'
}

function answers(host) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: 443, timeout: probeTimeoutMs })
    const end = (reached) => {
      socket.destroy()
      resolve(reached)
    }
    // the socket's own time-out does not cover the look-up of the name
    const patience = setTimeout(end, probeTimeoutMs, false)
    socket.once('close', () => clearTimeout(patience))
    socket.once('connect', () => end(true))
    socket.once('timeout', () => end(false))
    socket.once('error', () => end(false))
  })
}

/** Runs the package's own installer, which checks the archive's hash. Resolves with what went wrong, if anything. */
function download(timeoutMs) {
  return new Promise((resolve) => {
    const pinnedNode = path.join(
      root,
      'node_modules/node/bin',
      process.platform === 'win32' ? 'node.exe' : 'node',
    )
    const installer = spawn(
      existing(pinnedNode) ?? process.execPath,
      [path.join(electronPackage, 'install.js')],
      {
        cwd: root,
        stdio: 'ignore',
      },
    )
    const patience = setTimeout(() => {
      installer.kill('SIGKILL')
      resolve(`its download took longer than ${timeoutMs / 1000} s`)
    }, timeoutMs)
    const end = (failure) => {
      clearTimeout(patience)
      resolve(failure)
    }
    installer.once('error', () => end('its installer could not be started'))
    installer.once('exit', (code) => end(code === 0 ? undefined : 'its download failed'))
  })
}
