/** `bin/sluice`: finds the build and a Node that can run it, whatever shell, folder or link it is started from. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from './sluice.ts'

const bin = join(import.meta.dirname, '../../bin')

let project: string
let tidy: () => Promise<void>

beforeEach(async () => {
  const temporary = await temporaryFolder()
  project = join(temporary.path, 'a project')
  tidy = () => temporary[Symbol.asyncDispose]()
  await mkdir(join(project, 'out/main'), { recursive: true })
  await cp(bin, join(project, 'bin'), { recursive: true })
  // what Node 20 says of itself, for the launcher alone
  await writeFile(
    join(project, 'pretend-20.cjs'),
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })\n",
  )
})
afterEach(() => tidy())

async function build(code: string): Promise<void> {
  // `get` has an entrance of its own
  for (const name of ['cli.cjs', 'start.cjs']) await writeFile(join(project, 'out/main', name), code)
  await writeFile(join(project, 'package.json'), '{ "type": "module" }')
}

/** Puts a program where the pinned Node is looked for: this Node, saying that it is the pinned one. */
async function pinNode(): Promise<void> {
  const folder = join(project, 'node_modules/node/bin')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'node'), `#!/bin/sh\nPINNED=yes exec "${process.execPath}" "$@"\n`)
  await chmod(join(folder, 'node'), 0o755)
}

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function launch(args: readonly string[], cwd = project) {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code]: unknown[]): Ended => ({
    code: code as number | null,
    stdout,
    stderr,
  }))
  return { child, ended }
}

const old = () => ['-r', join(project, 'pretend-20.cjs')]
const launcher = () => join(project, 'bin/sluice')

describe('bin/sluice', () => {
  it('says how to build what is not built', async () => {
    const { code, stderr } = await launch([launcher()]).ended
    expect(code).toBe(1)
    expect(stderr).toBe(`sluice: Sluice is not built yet\nRun \`npm run build\` in ${project}.\n`)
  })

  it('runs the build with its arguments, from any folder and through links', async () => {
    await build('console.log(JSON.stringify([process.argv.slice(2), process.env.PINNED ?? "own"]))\n')
    await mkdir(join(project, 'elsewhere'))
    await symlink(launcher(), join(project, 'elsewhere/sl'))
    const { stdout } = await launch(['sl', 'get', 'a b', '--x'], join(project, 'elsewhere')).ended
    expect(JSON.parse(stdout)).toEqual([['get', 'a b', '--x'], 'own'])
  })

  it('under an older Node runs the build in the pinned one, and ends as that ends', async () => {
    await build('console.log(process.env.PINNED, ...process.argv.slice(2)); process.exitCode = 7\n')
    await pinNode()
    const { code, stdout } = await launch([...old(), launcher(), 'get', 'a b']).ended
    expect(stdout).toBe('yes get a b\n')
    expect(code).toBe(7)
  })

  it('under an older Node without the pinned one says what to do', async () => {
    await build('console.log("never")\n')
    const { code, stdout, stderr } = await launch([...old(), launcher()]).ended
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('This is Node 20.20.2; Sluice needs Node 24 or newer\nRun `npm ci` in ')
  })

  it('passes a request to stop on, and leaves the last word to the program', async () => {
    await build(
      `process.on('SIGTERM', () => { console.log('stopping'); process.exit(130) })
       setInterval(() => null, 1000)
       console.log('ready')\n`,
    )
    await pinNode()
    const { child, ended } = launch([...old(), launcher()])
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 130, stdout: 'ready\nstopping\n' })
  })

  it('lets the program see that the launcher was killed', async () => {
    await build(
      `process.once('disconnect', () => { console.log('alone'); process.exit() })
       console.log('ready')\n`,
    )
    await pinNode()
    const { child, ended } = launch([...old(), launcher()])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    expect((await ended).stdout).toBe('ready\nalone\n')
  })
})
