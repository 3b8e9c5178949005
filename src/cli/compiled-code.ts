/**
 * Runs a built program with V8's compiled form of it kept between runs. Node keeps one as well (NODE_COMPILE_CACHE),
 * but takes it when a file is loaded, before anything of it ran: of the functions that a run needs it holds few, and
 * compiling the others again is a fifth of what a short download takes. Here it is taken at the end of the first run.
 */
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

type Exports = Record<string, unknown>
type Wrapper = (
  exports: Exports,
  require: (name: string) => unknown,
  module: { exports: Exports },
  file: string,
  folder: string,
) => void

/**
 * Runs the file `program`. The compiled forms are kept beside it, where the next build clears them away; where nothing
 * can be written, every run compiles for itself.
 */
export function runCompiled(program: string): void {
  const folder = join(dirname(program), 'compiled')
  const loaded = new Map<string, { exports: Exports }>()
  const missing = new Map<string, Script>()
  process.on('exit', () => {
    for (const [path, script] of missing) keep(path, script.createCachedData())
  })

  const load = (file: string): Exports => {
    const known = loaded.get(file)
    if (known !== undefined) return known.exports
    const module = { exports: {} as Exports }
    loaded.set(file, module)
    const plain = createRequire(file)
    // chunks lie beside the program or one below; all else is loaded as ever
    const require = (name: string): unknown =>
      name.startsWith('.') ? load(join(dirname(file), name)) : plain(name)
    const { script, keepAt } = compiled(file, folder)
    if (keepAt !== null) missing.set(keepAt, script)
    const wrapper = script.runInThisContext() as Wrapper
    wrapper(module.exports, require, module, file, dirname(file))
    return module.exports
  }
  load(program)
}

const head = Buffer.from('(function (exports, require, module, __filename, __dirname) {')
const tail = Buffer.from('\n})')

/** `keepAt`: where its compiled form is still to be kept, null when it is there. */
function compiled(file: string, folder: string): { script: Script; keepAt: string | null } {
  const { wrapped, keptName } = readProgram(file)
  const kept = join(folder, keptName)
  const cachedData = read(kept)
  const script = new Script(wrapped, {
    filename: file,
    ...(cachedData === null ? {} : { cachedData }),
  })
  return { script, keepAt: cachedData === null || script.cachedDataRejected === true ? kept : null }
}

/**
 * V8 itself refuses the form of another version of itself or of a source of another length, but no other: it would run
 * what a build replaced meanwhile at the wrong places. So the name and the source are of one and the same file.
 */
function readProgram(file: string): { wrapped: string; keptName: string } {
  const opened = openSync(file, 'r')
  try {
    const { mtimeMs, size } = fstatSync(opened)
    const version = `${size.toString(36)}-${Math.round(mtimeMs).toString(36)}`
    // put together before it is a text, of which V8 would make a copy; the build writes ASCII
    const wrapped = Buffer.concat([head, readFileSync(opened), tail]).toString('latin1')
    return { wrapped, keptName: `${basename(file)}-${version}.compiled` }
  } finally {
    closeSync(opened)
  }
}

const checkBytes = 4

/** Stands before what is kept. A CRC: it is asked about damage, not about malice, and `crypto` takes long to load. */
function checkOf(bytes: Buffer): Buffer {
  const check = Buffer.alloc(checkBytes)
  check.writeUInt32LE(crc32(bytes))
  return check
}

/**
 * Null when there is none, or one that is not as it was kept: V8 does not look, and what a power cut or a bad disk made
 * of it would end every run with a crash.
 */
function read(path: string): Buffer | null {
  let kept: Buffer
  try {
    kept = readFileSync(path)
  } catch {
    return null
  }
  const bytes = kept.subarray(checkBytes)
  return checkOf(bytes).equals(kept.subarray(0, checkBytes)) ? bytes : null
}

/** Under its name only when whole: another process may be reading. */
function keep(path: string, bytes: Buffer): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    const unfinished = `${path}.${process.pid}`
    writeFileSync(unfinished, Buffer.concat([checkOf(bytes), bytes]))
    renameSync(unfinished, path)
  } catch {
    // a folder of somebody else's
  }
}
