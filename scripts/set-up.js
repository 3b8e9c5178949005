/**
 * What a fresh clone lacks: packages, and the build. Each is made only when it is missing or older than what it is
 * made from, and says so in one line.
 */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { giveUp, pinnedNode, project, run, runTool } from './run.js'

function timeOf(file) {
  const full = path.join(project, file)
  return existsSync(full) ? statSync(full).mtimeMs : 0
}

/** Newest change below a folder, tests left out. */
function newestIn(folder) {
  let newest = 0
  for (const entry of readdirSync(path.join(project, folder), { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || /\.test\.tsx?$/.test(entry.name)) continue
    newest = Math.max(newest, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs)
  }
  return newest
}

/** The npm that called us, else the one on the PATH. */
function npm(args) {
  const calling = process.env.npm_execpath
  const env = process.env
  if (calling?.endsWith('.js')) return run(process.execPath, [calling, ...args], { env })
  return process.platform === 'win32'
    ? run('cmd.exe', ['/d', '/s', '/c', 'npm', ...args], { env })
    : run('npm', args, { env })
}

/** `npm ci` begins by emptying the folder: one that is a link belongs to somebody else. */
function packagesAreElsewhere() {
  const modules = path.join(project, 'node_modules')
  return lstatSync(modules, { throwIfNoEntry: false })?.isSymbolicLink() === true
}

/** Installs packages when they are missing or older than the lockfile. */
export async function ensureInstalled() {
  // npm writes this file last: it is missing after an install that was broken off
  if (timeOf('node_modules/.package-lock.json') >= timeOf('package-lock.json') && existsSync(pinnedNode))
    return
  if (packagesAreElsewhere() && existsSync(pinnedNode)) return
  process.stderr.write('sluice: installing packages (npm ci), about a minute …\n')
  const { code, output } = await npm(['ci', '--no-audit', '--no-fund'])
  if (code !== 0) {
    process.stderr.write(`${output}\n`)
    giveUp('the packages could not be installed', 'The lines above say why; then run the same command again.')
  }
  if (!existsSync(pinnedNode)) {
    giveUp(
      'the pinned Node is missing: npm did not run the install script of the package "node"',
      'Allow it ("allowScripts" in package.json names it), then run "npm ci".',
    )
  }
}

/** Builds when the build is missing or older than the sources. */
export async function ensureBuilt() {
  const outputs = ['out/main/cli.cjs', 'out/main/worker.cjs', 'out/main/index.cjs', 'out/renderer/index.html']
  const inputs = ['electron.vite.config.ts', 'package.json', 'package-lock.json']
  const changed = Math.max(newestIn('src'), ...inputs.map(timeOf))
  if (Math.min(...outputs.map(timeOf)) > changed) return
  process.stderr.write('sluice: building …\n')
  const { code, output } = await runTool('electron-vite/bin/electron-vite.js', [
    'build',
    '--logLevel',
    'warn',
  ])
  if (code === 0) return
  process.stderr.write(`${output}\n`)
  giveUp('the build failed', 'The lines above say why; "npm run build" repeats it.')
}
