'use strict'
/**
 * The start of the double's main process: finds the application as Electron does, makes `electron` resolvable,
 * and runs the application's entry point. Called as `node boot.cjs <path of the binary> <its arguments…>`.
 */
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createRequire, registerHooks } = require('node:module')
const { pathToFileURL } = require('node:url')

const binary = path.resolve(process.argv[2])
const args = process.argv.slice(3)
const electronModule = path.join(__dirname, 'electron.cjs')

/** `import 'electron'` and `require('electron')` both get the double. */
registerHooks({
  resolve(specifier, context, next) {
    if (/^electron(\/(main|common))?$/.test(specifier)) {
      return { url: pathToFileURL(electronModule).href, format: 'commonjs', shortCircuit: true }
    }
    return next(specifier === 'original-fs' ? 'node:fs' : specifier, context)
  },
})

/** Files to require first (Playwright brings one), and the first argument that is no option. */
function readArguments() {
  const required = []
  let application
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-r' || args[i] === '--require') required.push(args[++i])
    else if (!args[i].startsWith('-')) application ??= args[i]
  }
  return { required, application }
}

/** The folder of a packaged application beside the binary, or undefined. An archive is unpacked first. */
function packagedRoot() {
  const resources = path.join(path.dirname(binary), 'resources')
  const archive = path.join(resources, 'app.asar')
  if (fs.existsSync(archive)) {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'electron-double-asar-'))
    process.on('exit', () => fs.rmSync(root, { recursive: true, force: true }))
    // Node cannot read inside an archive as Electron does, so its content (with what lies unpacked beside it)
    // is laid out as files. The reader comes from the checkout that the package was built in.
    createRequire(binary)('@electron/asar').extractAll(archive, root)
    return root
  }
  const folder = path.join(resources, 'app')
  return fs.existsSync(folder) ? folder : undefined
}

/** The application's folder, its package.json and its entry point. */
function findApplication(root) {
  if (!fs.statSync(root).isDirectory()) return { root: path.dirname(root), manifest: {}, entry: root }
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  return { root, manifest, entry: path.resolve(root, manifest.main ?? 'index.js') }
}

const { required, application } = readArguments()
const packaged = packagedRoot()
const { root, manifest, entry } = findApplication(packaged ?? path.resolve(application ?? '.'))

process.argv = [binary, ...args]
process.type = 'browser'
process.resourcesPath = path.join(path.dirname(binary), 'resources')
if (packaged === undefined) process.defaultApp = true
for (const [name, value] of Object.entries({ electron: '45.5.0', chrome: '156.0.0.0' })) {
  Object.defineProperty(process.versions, name, { value, enumerable: true })
}

const { launched } = require('./launched.cjs')
Object.assign(launched, { binary, root, manifest, args, packaged: packaged !== undefined })
const { begin } = require('./lifecycle.cjs')
require(electronModule)
for (const file of required) require(path.resolve(file))

// As in Electron, `ready` waits until the entry point has been evaluated.
const evaluated = import(pathToFileURL(entry).href)
evaluated.catch((error) => {
  console.error('App threw an error during load\n', error)
  process.exit(1)
})
begin(evaluated)
