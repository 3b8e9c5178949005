// What a fresh clone lacks: packages, and the build. Each is made only when it is missing or older than what it
// is made from, and says so in one line.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { project, run } from './run.js'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

function timeOf(path) {
  return existsSync(join(project, path)) ? statSync(join(project, path)).mtimeMs : 0
}

/** Newest change below a folder, tests left out. */
function newestIn(folder) {
  let newest = 0
  for (const entry of readdirSync(join(project, folder), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || /\.test\.tsx?$/.test(entry.name)) continue
    newest = Math.max(newest, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs)
  }
  return newest
}

async function orEnd(what, step) {
  const { code, output } = await step
  if (code === 0) return
  process.stderr.write(`${output}\nsluice: ${what} failed; the lines above say why.\n`)
  process.exit(1)
}

/** Installs packages when they are missing or older than the lockfile. */
export async function ensureInstalled() {
  if (timeOf('node_modules/.package-lock.json') >= timeOf('package-lock.json') && timeOf('node_modules/.bin/node')) {
    return
  }
  process.stderr.write('sluice: installing packages (once) …\n')
  await orEnd('installing packages', run(npm, ['ci', '--no-audit', '--no-fund'], { env: process.env }))
}

/** Builds when the build is missing or older than the sources. */
export async function ensureBuilt() {
  const built = Math.min(timeOf('out/main/cli.js'), timeOf('out/main/index.js'), timeOf('out/renderer/index.html'))
  const changed = Math.max(newestIn('src'), timeOf('electron.vite.config.ts'), timeOf('package-lock.json'))
  if (built > changed) return
  process.stderr.write('sluice: building …\n')
  await orEnd('building', run('electron-vite', ['build', '--logLevel', 'warn']))
}
