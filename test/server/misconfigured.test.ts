/** C129: whatever is misspelt, empty or unreadable in what the server is told, nobody gets in without the secret. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServerProcess } from './server-process.ts'

let dataFolder: string
let started: ServerProcess
beforeEach(async () => {
  dataFolder = path.join(await mkdtemp(path.join(tmpdir(), 'sluice-misconfigured-')), 'data')
})
afterEach(async () => {
  await started.kill('SIGKILL')
  await rm(path.dirname(dataFolder), { recursive: true, force: true })
})

function start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ServerProcess {
  const folders = [
    '--data-dir',
    dataFolder,
    '--download-root',
    path.join(path.dirname(dataFolder), 'downloads'),
  ]
  started = new ServerProcess(['--port', '0', ...folders, ...args], environment)
  return started
}

async function statusOf(link: URL, secret?: string, init: RequestInit = {}): Promise<number> {
  const headers = {
    'Content-Type': 'application/json',
    ...(secret === undefined ? {} : { 'X-Secret-Key': secret }),
  }
  return (await fetch(new URL('/api/config', link), { ...init, headers })).status
}

const secretOf = (link: URL): string => new URLSearchParams(link.hash.slice(1)).get('secret') ?? ''

/** Only the secret of the data folder opens it, and that is one that nobody can guess. */
async function expectProtected(link: URL, ...guesses: string[]): Promise<void> {
  expect(await statusOf(link)).toBe(401)
  for (const guess of ['', ...guesses]) expect(await statusOf(link, guess)).toBe(401)
  expect((await readFile(path.join(dataFolder, 'secret'), 'utf8')).trim()).toBe(secretOf(link))
  expect(Buffer.from(secretOf(link), 'base64url')).toHaveLength(32)
  expect(await statusOf(link, secretOf(link))).toBe(200)
}

test.each([
  ['a misspelt option', ['--secert', 'hunter2']],
  ['an option that another program has', ['--api-token=hunter2']],
  ['options given as one string', ['--port 0 --open']],
  ['an option without its value', ['--host']],
])('C129 %s is refused before anything is touched', async (_, args) => {
  expect(await start(args).ended()).toBe(2)
  expect(started.stdout).toBe('')
  expect(existsSync(dataFolder)).toBe(false)
})

test.each(['', ' '])('C129 the secret %j is refused: it does not stand for none', async (secret) => {
  expect(await start([], { SLUICE_SECRET: secret }).ended()).toBe(2)
  expect(started.stderr).toContain('SLUICE_SECRET is empty')
  expect(existsSync(dataFolder)).toBe(false)
})

test('C129 a secret in a misspelt variable opens nothing, and the log says that it means nothing', async () => {
  const link = await start([], {
    SLUICE_TOKEN: 'hunter2-hunter2-',
    SLUICE_SECRETS: 'hunter2-hunter2-',
  }).link()
  await expectProtected(link, 'hunter2-hunter2-')
  expect(started.stderr).toContain('variables=["SLUICE_SECRETS","SLUICE_TOKEN"]')
  expect(started.stderr).not.toContain('hunter2')
})

test('C129 where others reach the port, a secret in a misspelt variable is refused', async () => {
  const environment = { SLUICE_TOKEN: 'sixteen-letters.' }
  expect(await start(['--host', '0.0.0.0'], environment).ended()).toBe(2)
  expect(started.stderr).toContain('Set SLUICE_SECRET')
})

test('C129 an empty secret in the data folder is replaced by one that nobody knows', async () => {
  await mkdir(dataFolder)
  await writeFile(path.join(dataFolder, 'secret'), '\n')
  await expectProtected(await start([]).link())
})

test('C129 a secret that cannot be read ends the start', async () => {
  // a folder in its place: modes of files stop everybody but root
  await mkdir(path.join(dataFolder, 'secret'), { recursive: true })
  expect(await start([]).ended()).toBe(1)
  expect(started.stderr).toContain('The secret cannot be read')
  expect(started.stdout).toBe('')
})

test('C129 a setting that does not exist is refused, and changes nothing about who gets in', async () => {
  const link = await start([]).link()
  const before = await readFile(path.join(dataFolder, 'secret'), 'utf8')
  for (const patch of [{ apiToken: '' }, { secret: '' }, { theme: 'dark', token: 'x' }]) {
    const body = JSON.stringify(patch)
    expect(await statusOf(link, secretOf(link), { method: 'PATCH', body })).toBe(400)
  }
  expect(await readFile(path.join(dataFolder, 'secret'), 'utf8')).toBe(before)
  await expectProtected(link)
})
