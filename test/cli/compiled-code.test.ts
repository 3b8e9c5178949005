/** A program that runs with its compiled form kept does the same at every run, whatever became of what was kept. */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from './sluice.ts'

const loader = join(import.meta.dirname, '../../src/cli/compiled-code.ts')

let folder: string
let tidy: () => Promise<void>

beforeEach(async () => {
  const temporary = await temporaryFolder()
  folder = temporary.path
  tidy = () => temporary[Symbol.asyncDispose]()
  await mkdir(join(folder, 'chunks'))
  await write('chunks/part.cjs', "exports.greet = (name) => 'hello ' + name\n")
  await write(
    'program.cjs',
    `const { greet } = require('./chunks/part.cjs')
     const { basename } = require('node:path')
     console.log(greet(basename(__filename)), require('./chunks/part.cjs').greet === greet)\n`,
  )
})
afterEach(() => tidy())

const write = (name: string, code: string) => writeFile(join(folder, name), code)

async function run(): Promise<string> {
  const code = `import(${JSON.stringify(loader)}).then(({ runCompiled }) => runCompiled(${JSON.stringify(join(folder, 'program.cjs'))}))`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', code])
  return stdout + stderr
}

async function kept(): Promise<Map<string, Buffer>> {
  const names = await readdir(join(folder, 'compiled'))
  return new Map(
    await Promise.all(
      names.sort().map(async (name) => [name, await readFile(join(folder, 'compiled', name))] as const),
    ),
  )
}

describe('a program with its compiled form kept', () => {
  it('runs the same again, from what the first run kept', async () => {
    expect(await run()).toBe('hello program.cjs true\n')
    const first = await kept()
    expect([...first.keys()].map((name) => name.replace(/-.*/, ''))).toEqual(['part.cjs', 'program.cjs'])
    expect(await run()).toBe('hello program.cjs true\n')
    expect(await kept()).toEqual(first)
  })

  it('is the new one when a file was built anew, even at the same length', async () => {
    await run()
    await write('chunks/part.cjs', "exports.greet = (name) => 'howdy ' + name\n")
    // a build of another second: file systems keep times of different fineness
    await utimes(join(folder, 'chunks/part.cjs'), new Date(), new Date(Date.now() + 5_000))
    expect(await run()).toBe('howdy program.cjs true\n')
  })

  it('compiles again what was kept and is damaged', async () => {
    await run()
    const sound = await kept()
    for (const name of sound.keys()) await write(join('compiled', name), 'nonsense')
    expect(await run()).toBe('hello program.cjs true\n')
    const mended = await kept()
    expect([...mended.keys()]).toEqual([...sound.keys()])
    for (const bytes of mended.values()) expect(bytes.length).toBeGreaterThan(100)
  })

  it('compiles again what lost its end, its middle or a single bit', async () => {
    await run()
    const sound = await kept()
    const damages: ((bytes: Buffer) => Buffer)[] = [
      (bytes) => bytes.subarray(0, bytes.length - 8),
      (bytes) => Buffer.concat([bytes.subarray(0, bytes.length >> 1), Buffer.alloc(bytes.length >> 1)]),
      (bytes) => Buffer.from(bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 4 : byte))),
      () => Buffer.alloc(0),
    ]
    for (const damage of damages) {
      for (const [name, bytes] of sound) await writeFile(join(folder, 'compiled', name), damage(bytes))
      expect(await run()).toBe('hello program.cjs true\n')
      expect(await run()).toBe('hello program.cjs true\n')
    }
  })

  it('runs where nothing can be kept', async () => {
    await write('compiled', 'a file where the folder would be')
    await chmod(join(folder, 'compiled'), 0o400)
    expect(await run()).toBe('hello program.cjs true\n')
    expect((await stat(join(folder, 'compiled'))).isFile()).toBe(true)
  })
})
