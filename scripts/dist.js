/**
 * `npm run dist`: builds, packages with electron-builder, and reads back from the packaged program what was
 * configured. Arguments are electron-builder's own (`npm run dist -- --linux dir`). With `--drivable` the package
 * goes to dist/drivable and differs in one fuse: tests may attach to its main process.
 *
 * Where Electron's binary cannot be had, the Linux folder is packaged around the test double instead: good for
 * trying the package here, not for giving it to anyone.
 */
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { findElectron } from './electron-binary.js'
import { checkFuses, fuseWireTemplate } from './fuses.js'

const root = path.join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const isDrivable = args.includes('--drivable')
const builderArgs = args.filter((each) => each !== '--drivable')
const output = path.join(root, isDrivable ? 'dist/drivable' : 'dist')

/** Runs a program of node_modules and ends with its exit code when it fails. */
function run(program, programArgs) {
  const executable = path.join(root, 'node_modules/.bin', program)
  const { status, error } = spawnSync(executable, programArgs, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) throw error
  if (status !== 0) process.exit(status ?? 1)
}

/** A folder that looks like an unpacked Electron to electron-builder, with the double as its program. */
async function makeDoubleDistribution() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-electron-'))
  await cp(path.join(root, 'e2e/electron-double'), folder, { recursive: true })
  await mkdir(path.join(folder, 'resources'))
  await writeFile(path.join(folder, 'electron'), fuseWireTemplate(), { flag: 'a' })
  return folder
}

run('electron-vite', ['build'])

const electron = await findElectron({ onDownload: () => console.log('Getting Electron (about 100 MB) …') })
const double = 'reason' in electron ? await makeDoubleDistribution() : undefined
try {
  const options = [
    `-c.directories.output=${output}`,
    `-c.electronFuses.enableNodeCliInspectArguments=${isDrivable}`,
  ]
  const targets = [...builderArgs]
  if (double !== undefined) {
    console.log(`Electron cannot be had here: ${electron.reason}.`)
    console.log(
      'Packaging the Linux folder around the test double: for trying it here, not for giving it away.',
    )
    options.push(`-c.electronDist=${double}`)
    if (targets.length === 0) targets.push('--linux', 'dir')
  }
  run('electron-builder', [...targets, '--publish', 'never', ...options])
} finally {
  if (double !== undefined) await rm(double, { recursive: true, force: true })
}
await checkFuses(output, { enableNodeCliInspectArguments: isDrivable })
