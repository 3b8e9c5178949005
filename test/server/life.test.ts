/** Starts and stops of the server: what it says, what it leaves, and that the list is right afterwards. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CommandInput, CommandResult, Commands } from '../../src/shared/contract/commands.ts'
import { FaultServer, fixedBody, seededBody, sha256Of } from '../fault-server/fault-server.ts'
import { TestServer } from './running-server.ts'
import { ServerProcess } from './server-process.ts'

let base: string
const processes: ServerProcess[] = []
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'sluice-life-'))
})
afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.kill('SIGKILL')))
  await rm(base, { recursive: true, force: true })
})

const dataFolder = () => path.join(base, 'data')
const announced = (): unknown => JSON.parse(readFileSync(path.join(dataFolder(), 'host.json'), 'utf8'))
const downloads = () => path.join(base, 'downloads')

function start(args: readonly string[] = [], environment: Record<string, string> = {}): ServerProcess {
  const folders = ['--data-dir', dataFolder(), '--download-root', downloads()]
  const started = new ServerProcess(['--port', '0', ...folders, ...args], environment)
  processes.push(started)
  return started
}

async function call<N extends keyof Commands>(
  link: URL,
  name: N,
  input: CommandInput<N>,
): Promise<CommandResult<N>> {
  const secret = new URLSearchParams(link.hash.slice(1)).get('secret') ?? ''
  const response = await fetch(new URL(`/rpc/${name}`, link), {
    method: 'POST',
    headers: { 'X-Secret-Key': secret, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(await response.text())
  // the server answers a command with that command's result
  return (await response.json()) as CommandResult<N>
}

async function stateOf(link: URL, id: string) {
  return (await call(link, 'tasks.rows', { ids: [id] })).rows[0]?.state
}

describe('what cannot start says so and ends', () => {
  test('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const refused = start(['--port', String(port)])
    expect(await refused.ended()).toBe(1)
    expect(refused.stderr).toContain(
      `sluice: Port ${port} on 127.0.0.1 is in use by another program (CONFLICT)`,
    )
    expect(refused.stderr).toContain('--port')
    expect(refused.stdout).toBe('')
    other.close()
  })

  test('a data folder that another server has; the first one goes on', async () => {
    const first = start()
    const link = await first.link()
    const second = start()
    expect(await second.ended()).toBe(1)
    expect(second.stderr).toMatch(/^sluice: Another Sluice .*is using this data folder \(CONFLICT\)$/m)
    expect((await fetch(new URL('/api/health', link))).status).toBe(200)
    expect(announced()).toMatchObject({ pid: first.child.pid, host: '127.0.0.1', port: Number(link.port) })
  })

  test('an address that this machine does not have', async () => {
    const refused = start(['--host', '192.0.2.1'], { SLUICE_SECRET: 'sixteen-letters.' })
    expect(await refused.ended()).toBe(1)
    expect(refused.stderr).toContain('This machine has no address 192.0.2.1')
  })

  test('an address that others reach, without a secret', async () => {
    const refused = start(['--host', '0.0.0.0'])
    expect(await refused.ended()).toBe(2)
    expect(refused.stderr).toContain('Set SLUICE_SECRET')
    expect(existsSync(dataFolder())).toBe(false)
  })

  test('bad usage is 2, asking for help is 0', async () => {
    const wrong = start(['--nonsense'])
    expect(await wrong.ended()).toBe(2)
    expect(wrong.stderr).toContain("unknown option '--nonsense'")
    const help = start(['--help'])
    expect(await help.ended()).toBe(0)
    expect(help.stdout).toContain('--download-root')
  })
})

test('secret and host.json are for the user alone; a secret from the environment is not written down', async () => {
  const first = start()
  const link = await first.link()
  const modeOf = (name: string) => statSync(path.join(dataFolder(), name)).mode & 0o777
  expect(modeOf('secret')).toBe(0o600)
  expect(modeOf('host.json')).toBe(0o600)
  expect(statSync(dataFolder()).mode & 0o777).toBe(0o700)
  const stored = readFileSync(path.join(dataFolder(), 'secret'), 'utf8').trim()
  expect(link.hash).toBe(`#secret=${stored}`)
  expect(Buffer.from(stored, 'base64url')).toHaveLength(32)
  expect(first.stderr).not.toContain(stored)
  expect(await first.kill('SIGTERM')).toBe(0)
  expect(existsSync(path.join(dataFolder(), 'host.json'))).toBe(false)

  const second = start([], { SLUICE_SECRET: 'of-the-environment' })
  expect((await second.link()).hash).toBe('#secret=of-the-environment')
  expect(await call(await second.link(), 'tasks.clearFinished', {})).toEqual({ removed: 0 })
  await second.kill('SIGTERM')
  for (const name of await readdir(dataFolder())) {
    expect(readFileSync(path.join(dataFolder(), name), 'latin1')).not.toContain('of-the-environment')
  }
})

test('0.0.0.0 with a secret listens on every address, read back from the kernel', async () => {
  const open = start(['--host', '0.0.0.0'], { SLUICE_SECRET: 'sixteen-letters.' })
  const { port } = await open.link()
  const hex = Number(port).toString(16).toUpperCase().padStart(4, '0')
  expect(readFileSync('/proc/net/tcp', 'utf8')).toMatch(new RegExp(` 00000000:${hex} \\S+ 0A `))
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s in mid-download: a checkpoint, an end within seconds, and the next start goes on',
  async (signal) => {
    await using source = await FaultServer.start()
    const slow = { length: 20_000_000, seed: 4, etag: '"a"', bytesPerSecond: 2_000_000 }
    source.serve('/file.bin', slow)
    const first = start()
    const added = await call(await first.link(), 'tasks.add', {
      links: [source.url('/file.bin')],
      options: { connections: 1 },
    })
    const id = added.results[0]?.kind === 'added' ? added.results[0].id : ''
    await source.until(() => source.bodyBytesSent('/file.bin') > 4_000_000)
    const asked = performance.now()
    expect(await first.kill(signal)).toBe(0)
    expect(performance.now() - asked).toBeLessThan(6000)
    const sent = source.bodyBytesSent('/file.bin')

    source.serve('/file.bin', { ...slow, bytesPerSecond: 200_000_000 })
    const link = await start().link()
    await expect.poll(() => stateOf(link, id), { timeout: 20_000 }).toBe('COMPLETED')
    expect(sha256Of(fixedBody(readFileSync(path.join(downloads(), 'file.bin'))))).toBe(
      sha256Of(seededBody(slow.length, slow.seed)),
    )
    expect(source.bodyBytesSent('/file.bin') - sent).toBeLessThan(slow.length - 3_000_000)
  },
)

test('kill -9: the next start has the whole list and completes it', async () => {
  await using source = await FaultServer.start()
  const slow = { length: 8_000_000, etag: '"a"', bytesPerSecond: 1_000_000 }
  const names = ['a.bin', 'b.bin', 'c.bin', 'd.bin']
  for (const [seed, name] of names.entries()) source.serve(`/${name}`, { ...slow, seed })
  const first = start()
  const { results } = await call(await first.link(), 'tasks.add', {
    links: names.map((name) => source.url(`/${name}`)),
    options: { connections: 1 },
  })
  await source.until(() => source.bodyBytesSent('/c.bin') > 1_000_000)
  expect(await first.kill('SIGKILL')).toBe('SIGKILL')
  // it could not take its announcement back: pid and start time tell that nobody is there
  expect(announced()).toMatchObject({ pid: first.child.pid })

  for (const [seed, name] of names.entries())
    source.serve(`/${name}`, { ...slow, seed, bytesPerSecond: 200_000_000 })
  const second = start()
  const link = await second.link()
  expect(announced()).toMatchObject({ pid: second.child.pid })
  for (const [seed, result] of results.entries()) {
    const id = result.kind === 'added' ? result.id : ''
    await expect.poll(() => stateOf(link, id), { timeout: 30_000 }).toBe('COMPLETED')
    const file = path.join(downloads(), names[seed] ?? '')
    expect(sha256Of(fixedBody(readFileSync(file)))).toBe(sha256Of(seededBody(slow.length, seed)))
  }
  expect((await readdir(downloads())).toSorted()).toEqual(names)
})

test('a restart keeps list, order, settings and secret', async () => {
  const first = await TestServer.start({ base })
  await first.call('settings.set', { maxConcurrentTasks: 7 })
  const links = Array.from({ length: 5 }, (_, number) => `http://127.0.0.1:9/${number}.bin`)
  await first.call('tasks.add', { links, options: { startPaused: true } })
  const { secret } = first.server
  const before = await first.state()
  await first.stop()
  const second = await TestServer.start({ base })
  expect(await second.state()).toBe(before)
  expect(second.server.secret).toBe(secret)
  await second.stop()
})

test('a default folder that is no longer below a root becomes the first root', async () => {
  const first = await TestServer.start({ base })
  await first.call('settings.set', { downloadFolder: path.join(first.downloads, 'films') })
  await first.stop()
  const second = await TestServer.start({ base, downloadRoots: [path.join(base, 'elsewhere')] })
  expect((await second.call('settings.get', {})).downloadFolder).toBe(path.join(base, 'elsewhere'))
  await second.stop()
})
