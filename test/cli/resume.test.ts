/** An interrupted command, typed again, fetches only what is missing: proved by the log of the server. */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { composeCliHost } from '../../src/cli/compose.ts'
import { databaseFolder } from '../../src/cli/database-folder.ts'
import { readGetRequest } from '../../src/cli/get-options.ts'
import { defaultSettings } from '../../src/shared/default-settings.ts'
import { builtProgram } from '../built-program.ts'
import { FaultServer, seededBody, sha256Of } from '../fault-server/fault-server.ts'
import { entriesOf, runSluice, signalGroup, startSluice, temporaryFolder } from './sluice.ts'

const length = 16_000_000
/** over all connections */
const bytesPerSecond = 4_000_000
/** for a busy machine */
const patienceMs = 40_000

/** Near its end a transfer over several connections may ask for the same bytes on two and take the first. */
const askedTwiceAtTheEnd = (connections: number) => (connections === 1 ? 0 : 2_000_000)

let server: FaultServer
let folder: string
let tidy: () => Promise<void>

beforeEach(async () => {
  server = await FaultServer.start()
  const temporary = await temporaryFolder()
  folder = temporary.path
  tidy = () => temporary[Symbol.asyncDispose]()
})
afterEach(async () => {
  await server.close()
  await tidy()
})

const command = (connections: number) => ['get', '-x', String(connections), server.url('/file.bin')]

/** Runs the command until this much was sent. */
async function startUntil(bytes: number, connections = 4) {
  const rate = bytesPerSecond / connections
  server.serve('/file.bin', { length, seed: 4, etag: '"a"', bytesPerSecond: rate })
  const running = startSluice([...command(connections), '--json'], { cwd: folder })
  await server.until(() => server.bodyBytesSent('/file.bin') >= bytes, patienceMs)
  return running
}

/** Bytes that the command said it had, in its last whole line. */
function bytesSaidToBeDone(stdout: string): number {
  const line = stdout.split('\n').at(-2) ?? ''
  return (JSON.parse(line) as { task: { doneBytes: number } }).task.doneBytes
}

/** Types the command again, now at full speed; returns how many bytes were sent for it. */
async function again(connections = 4): Promise<number> {
  const before = server.bodyBytesSent('/file.bin')
  const requests = server.requests('/file.bin').length
  server.serve('/file.bin', { length, seed: 4, etag: '"a"' })
  const ended = await runSluice(command(connections), { cwd: folder })
  expect(ended).toMatchObject({ code: 0, errors: [] })
  const later = server.requests('/file.bin').slice(requests)
  // never without asking whether it still is the same file
  expect(later.every((request) => request.headers['if-range'] === '"a"')).toBe(true)
  return server.bodyBytesSent('/file.bin') - before
}

async function expectWhole(): Promise<void> {
  expect(await entriesOf(folder)).toEqual(['file.bin'])
  const hash = createHash('sha256').update(await readFile(join(folder, 'file.bin')))
  expect(hash.digest('hex')).toBe(sha256Of(seededBody(length, 4)))
}

describe('the same command again', () => {
  it.each([1, 4])('after Ctrl+C fetches nothing twice, over %i connections', async (connections) => {
    const running = await startUntil(5_000_000, connections)
    signalGroup(running, 'SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(ended.errors).toEqual(['sluice: interrupted. What arrived is kept. The same command goes on.'])
    const done = bytesSaidToBeDone(ended.stdout)
    expect(done).toBeGreaterThan(1_000_000)
    expect(await entriesOf(folder)).not.toContain('file.bin')

    expect(await again(connections)).toBeLessThanOrEqual(length - done + askedTwiceAtTheEnd(connections))
    await expectWhole()
  })

  it.each([1, 4])(
    'after kill -9 of the group fetches two seconds twice at most, over %i',
    async (connections) => {
      const running = await startUntil(12_000_000, connections)
      signalGroup(running, 'SIGKILL')
      const ended = await running.ended
      expect(ended.signal).toBe('SIGKILL')
      const done = bytesSaidToBeDone(ended.stdout)

      const twice = 2 * bytesPerSecond + askedTwiceAtTheEnd(connections)
      expect(await again(connections)).toBeLessThanOrEqual(length - done + twice)
      await expectWhole()
    },
  )

  it('after several interruptions still gives the file of the source', async () => {
    for (const share of [0.15, 0.45, 0.7]) {
      const running = await startUntil(share * length)
      signalGroup(running, share === 0.45 ? 'SIGKILL' : 'SIGTERM')
      await running.ended
    }
    await again()
    await expectWhole()
  })

  it('after an end while links were added fetches those too that no task was made of', async () => {
    const names = ['a.bin', 'b.bin', 'c.bin', 'd.bin']
    for (const name of names) server.serve(`/${name}`, { length: 1000, seed: name.charCodeAt(0) })
    const links = names.map((name) => server.url(`/${name}`))
    const request = readGetRequest(links, { dir: folder }, false)
    const host = await composeCliHost({
      dataFolder: databaseFolder(request),
      settings: defaultSettings(folder),
      joins: false,
      onFault: (error) => expect(error).toBeNull(),
    })
    await host.service.start()
    const client = host.service.connect(() => undefined)
    const options = { folder, startPaused: true }
    expect(await client.call('tasks.add', { links: links.slice(0, 2), options })).toMatchObject({ ok: true })
    client.close()
    await host.service.stop(1000)
    host.release()

    expect(await runSluice(['get', ...links], { cwd: folder })).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(folder)).toEqual(names)
    expect(server.requests('/a.bin').length).toBe(1)
  })

  it('after the end of the launcher alone goes on where it stopped', async () => {
    // as `bin/sluice` starts it under an older Node: with a channel that closes when that process is killed
    const program = builtProgram('main/cli.cjs')
    server.serve('/file.bin', { length, seed: 4, etag: '"a"', bytesPerSecond: bytesPerSecond / 4 })
    const child = fork(program, command(4), { cwd: folder, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    await server.until(() => server.bodyBytesSent('/file.bin') >= 4_000_000, patienceMs)
    child.disconnect()
    const code = await new Promise((resolve) => child.once('exit', resolve))
    expect(code).toBe(130)
    await again()
    await expectWhole()
  })

  it('of a pair goes on with both tracks', async () => {
    server.serve('/v.mp4', { length: 6_000_000, seed: 1, etag: '"v"', bytesPerSecond: 500_000 })
    server.serve('/a.m4a', { length: 6_000_000, seed: 2, etag: '"a"', bytesPerSecond: 500_000 })
    const args = ['get', '-x', '1', '--video', server.url('/v.mp4'), '--audio', server.url('/a.m4a')]
    const running = startSluice(args, { cwd: folder })
    await server.until(
      () => server.bodyBytesSent('/v.mp4') > 1_000_000 && server.bodyBytesSent('/a.m4a') > 1_000_000,
    )
    signalGroup(running, 'SIGINT')
    expect((await running.ended).code).toBe(130)
    const requests = server.log.length
    server.serve('/v.mp4', { length: 6_000_000, seed: 1, etag: '"v"' })
    server.serve('/a.m4a', { length: 6_000_000, seed: 2, etag: '"a"' })
    // the bytes are no media: what counts here is what was asked for before they are refused
    await runSluice(args, { cwd: folder })
    for (const path of ['/v.mp4', '/a.m4a']) {
      const later = server.log.slice(requests).filter((request) => request.path === path)
      expect(Math.min(...later.map((request) => request.range?.start ?? 0))).toBeGreaterThan(500_000)
    }
  })
})

describe('a second Ctrl+C', () => {
  it('ends the process at once', async () => {
    const running = await startUntil(2_000_000)
    signalGroup(running, 'SIGSTOP')
    signalGroup(running, 'SIGINT')
    signalGroup(running, 'SIGCONT')
    running.process.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
  })
})
