'use strict'
/** The browser behind the windows: one headless Chromium with a profile of its own that is removed afterwards. */
const { spawn } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')

const executable =
  process.env.SLUICE_TEST_BROWSER ??
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) =>
    fs.existsSync(file),
  )

const quiet = [
  '--no-startup-window',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--password-store=basic',
  '--test-type',
]

const guard = path.join(__dirname, 'chromium-guard.sh')
/** the guard around Chromium: its standard input is Chromium's life line */
let child

/** Chromium refuses its sandbox to root. */
function sandboxFlags(args) {
  return process.getuid?.() === 0 || args.includes('--no-sandbox') ? ['--no-sandbox'] : []
}

/**
 * Starts Chromium and resolves with the address of its DevTools. That line is also repeated on stderr, where
 * Playwright waits for it as it would for Electron's own.
 */
exports.startChromium = async (args, switches) => {
  if (executable === undefined) throw new Error('no Chromium found; set SLUICE_TEST_BROWSER')
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'electron-double-profile-'))
  const port = args.find((each) => each.startsWith('--remote-debugging-port')) ?? '--remote-debugging-port=0'
  const flags = [
    '--headless=new',
    ...sandboxFlags(args),
    port,
    `--user-data-dir=${profile}`,
    ...quiet,
    ...switches,
  ]
  child = spawn('/bin/sh', [guard, profile, executable, ...flags], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // a process group of its own: the guard has to clean up when ours is killed
    detached: true,
  })
  const address = await new Promise((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (data) => {
      if (process.env.ELECTRON_DOUBLE_DEBUG) process.stderr.write(data)
      if (said === undefined) return
      said += data
      const line = /^DevTools listening on (ws:\/\/\S+)$/m.exec(said)
      if (line === null) return
      said = undefined
      resolve(line[1])
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Chromium ended early (${code})\n${said}`)))
  })
  process.stderr.write(`DevTools listening on ${address}\n`)
  return { address, process: child }
}

/** Asks Chromium to go (`askToClose`), ends it when it does not within 3 s; resolves when it is gone. */
exports.stopChromium = async (askToClose) => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const end = () => child.stdin.end()
  askToClose().catch(end)
  const patience = setTimeout(end, 3000)
  await gone
  clearTimeout(patience)
}
