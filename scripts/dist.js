/**
 * `npm run dist`: packages what was built with electron-builder, and reads back from the packaged program what was
 * configured. Arguments are electron-builder's own (`npm run dist -- --linux dir`); `--output DIR` (default `dist`)
 * is where packages go.
 *
 * Where Electron's binary cannot be had, the Linux folder is packaged around the test double instead: good for
 * trying the package here, not for giving it to anyone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findElectron } from './electron-binary.js'
import { checkFuses, fuseWireTemplate } from './fuses.js'

const root = path.join(import.meta.dirname, '..')

/** Our own option, and the rest, which is electron-builder's. */
function readArguments() {
  const { values, tokens } = parseArgs({
    options: { output: { type: 'string', default: 'dist' } },
    strict: false,
    tokens: true,
  })
  const own = tokens.filter((token) => token.kind === 'option' && token.name === 'output')
  const taken = new Set(own.flatMap(({ index, inlineValue }) => (inlineValue ? [index] : [index, index + 1])))
  const rest = process.argv.slice(2).filter((_, index) => !taken.has(index))
  return { output: path.resolve(root, values.output), builderArguments: rest }
}

/** Runs electron-builder; ends with its exit code when it fails. */
function packageWith(builderArguments) {
  const builder = path.join(root, 'node_modules/electron-builder/cli.js')
  const { status, error } = spawnSync(process.execPath, [builder, ...builderArguments], {
    cwd: root,
    stdio: 'inherit',
  })
  if (error) throw error
  return status ?? 1
}

/** A folder that looks like an unpacked Electron to electron-builder, with the double as its program. */
async function makeDoubleDistribution() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sluice-electron-'))
  await cp(path.join(root, 'e2e/electron-double'), folder, { recursive: true })
  await mkdir(path.join(folder, 'resources'))
  await writeFile(path.join(folder, 'electron'), fuseWireTemplate(), { flag: 'a' })
  return folder
}

/** Packages around the double; by default as a plain folder, since it cannot be installed anyway. */
async function packageDouble(builderArguments, options) {
  const distribution = await makeDoubleDistribution()
  try {
    const targets = builderArguments.length === 0 ? ['--linux', 'dir'] : builderArguments
    return packageWith([...targets, ...options, `-c.electronDist=${distribution}`])
  } finally {
    await rm(distribution, { recursive: true, force: true })
  }
}

if (!existsSync(path.join(root, 'out/main/index.cjs'))) {
  console.error('Nothing is built yet: run `npm run build` first.')
  process.exit(1)
}
const { output, builderArguments } = readArguments()
const options = ['--publish', 'never', `-c.directories.output=${output}`]
const electron = await findElectron({
  onDownload: () => console.log('Getting Electron (about 100 MB) …'),
})
let status
if ('path' in electron) {
  status = packageWith([...builderArguments, ...options])
} else {
  console.log(`Electron cannot be had here: ${electron.reason}.`)
  console.log('Packaging around the test double: for trying the package here, not for giving it away.')
  status = await packageDouble(builderArguments, options)
}
if (status !== 0) process.exit(status)
await checkFuses(output)
