// `npm start`: from a fresh clone to the running product. Without arguments the app opens: in Electron when its
// binary can be had, else the same window from the local server in a browser. With arguments it is `bin/sluice`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findElectron } from './electron-binary.js'
import { project, projectEnvironment } from './run.js'
import { ensureBuilt, ensureInstalled } from './set-up.js'

const args = process.argv.slice(2)

/** Runs in the foreground, in the folder the user was in, and ends as it ends. */
function become(program, programArgs) {
  const cwd = process.env.INIT_CWD ?? process.cwd()
  const child = spawn(program, programArgs, { cwd, env: projectEnvironment(), stdio: 'inherit' })
  process.on('SIGINT', () => null)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 130))
}

await ensureInstalled()
await ensureBuilt()

if (args.length > 0) {
  become(process.execPath, [join(project, 'bin/sluice'), ...args])
} else {
  const electron = await findElectron({
    onDownload: () => process.stderr.write('sluice: fetching Electron (once) …\n'),
  })
  if ('path' in electron) become(electron.path, [project])
  else {
    process.stderr.write(`sluice: opening in a browser: ${electron.reason}\n`)
    become(process.execPath, [join(project, 'bin/sluice'), 'serve', '--open'])
  }
}
