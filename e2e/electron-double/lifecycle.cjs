'use strict'
/** From the evaluated entry point to `ready`, and from `quit` to the end of the process. */
const { app } = require('./app.cjs')
const { startChromium, stopChromium } = require('./chromium.cjs')
const { devtools } = require('./devtools.cjs')
const { launched, makeEvent, windows } = require('./launched.cjs')
const { killUtilityProcesses } = require('./utility-process.cjs')

/** Switches that are Node's, the double's or this profile's business and not Chromium's. */
const notForChromium = /^(inspect.*|no-sandbox|remote-debugging.*|user-data-dir|disable-extensions)$/

exports.begin = (evaluated) => {
  for (const argument of launched.args) {
    const parts = /^--([^=]+)(?:=(.*))?$/.exec(argument)
    if (parts !== null && !/^(inspect|no-sandbox|remote-debugging)/.test(parts[1])) {
      app.commandLine.appendSwitch(parts[1], parts[2])
    }
  }
  evaluated.then(becomeReady).catch((error) => {
    console.error('electron-double:', error)
    app.exit(1)
  })
}

async function becomeReady() {
  if (app.exiting) return
  const switches = app.commandLine.entries().filter(([name]) => !notForChromium.test(name))
  const { address, process: chromium } = await startChromium(
    launched.args,
    switches.map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`)),
  )
  chromium.once('exit', () => app.exit(0))
  await devtools.connect(address)
  devtools.on('Target.targetCreated', ({ targetInfo }) => closeUnasked(targetInfo))
  devtools.on('Target.targetDestroyed', ({ targetId }) => {
    for (const window of windows) if (window.webContents.targetId === targetId) window.gone()
  })
  await devtools.send('Target.setDiscoverTargets', { discover: true })
  app.becomeReady()
}

/** A page that one of our pages opened by a way that page/main-world.js does not catch. */
function closeUnasked(target) {
  if (target.type !== 'page' || target.openerId === undefined) return
  if ([...windows].some((window) => window.webContents.targetId === target.openerId)) {
    devtools.send('Target.closeTarget', { targetId: target.targetId }).catch(() => undefined)
  }
}

app.leave = async (code) => {
  app.emit('quit', makeEvent(), code)
  app.releaseSingleInstanceLock()
  killUtilityProcesses()
  await stopChromium(() => devtools.send('Browser.close'))
  process.exit(code)
}

for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => app.quit())
