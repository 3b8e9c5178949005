// `npm run demo`: the product with samples of its own, from a fresh clone and without the internet.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { findElectron } from './electron-binary.js'
import { pinnedNode, project, projectEnvironment } from './run.js'
import { ensureBuilt, ensureInstalled } from './set-up.js'

await ensureInstalled()
await ensureBuilt()
const electron = await findElectron()
if (!('path' in electron)) {
  process.stderr.write(`sluice: no Electron here (${electron.reason}); the window opens in a browser\n`)
}
const args = [path.join(project, 'scripts/demo/demo.ts'), ...('path' in electron ? [electron.path] : [])]
const child = spawn(pinnedNode, args, { cwd: project, env: projectEnvironment(), stdio: 'inherit' })
// the terminal interrupts both; the demonstration decides when it is over
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', (code) => {
  process.exitCode = code ?? 1
})
