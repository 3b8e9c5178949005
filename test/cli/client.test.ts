/** The commands that talk to a running host, against a real one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listQuerySchema, taskRowSchema } from '../../src/shared/view.ts'
import type { TaskRow } from '../../src/shared/view.ts'
import { settingsSchema } from '../../src/shared/settings.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { TestServer } from '../server/running-server.ts'
import { sluice } from './in-process.ts'
import type { Said } from './in-process.ts'

let server: TestServer
let source: FaultServer
let dataDir: string

beforeAll(async () => {
  server = await TestServer.start()
  source = await FaultServer.start()
  dataDir = path.join(server.base, 'data')
})
afterAll(async () => {
  await server.end()
  await source.close()
})
beforeEach(async () => {
  await client('cancel', '--all')
  await expect
    .poll(
      async () => {
        await client('remove', '--finished')
        return rows()
      },
      { timeout: 20_000 },
    )
    .toEqual([])
})

const client = (...args: string[]): Promise<Said> => sluice(args, { SLUICE_DATA_DIR: dataDir })
const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

async function rows(...args: string[]): Promise<TaskRow[]> {
  const { stdout } = await client('list', '--json', ...args)
  return lines(stdout).map((line) => taskRowSchema.parse(JSON.parse(line)))
}

/** Adds paused downloads and answers their ids. */
async function addPaused(...names: string[]): Promise<string[]> {
  await client('add', '--paused', ...names.map((name) => source.url(`/${name}`)))
  const added = await rows()
  return names.map((name) => added.find(({ title }) => title === name)?.id ?? '')
}

describe('sluice add', () => {
  it('puts links into the list, patterns expanded, and says the ids that list shows', async () => {
    const added = await client('add', '--paused', source.url('/part[08-10].zip'))
    expect(added).toMatchObject({ code: 0, stderr: '' })
    const listed = await rows()
    expect(listed.map(({ title }) => title)).toEqual(['part08.zip', 'part09.zip', 'part10.zip'])
    for (const [index, line] of lines(added.stdout).entries()) {
      expect(line).toBe(`added: ${listed[index]?.id.slice(0, 8)} ${source.url(`/${listed[index]?.title}`)}`)
    }
  })

  it('takes folder, name, headers, limits and cookies; the host downloads accordingly', async () => {
    source.serve('/named.bin', { length: 1000, seed: 1 })
    const cookies = path.join(server.base, 'cookies.txt')
    writeFileSync(cookies, `127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\tabc\n`)
    const folder = path.join(server.downloads, 'films')
    const ended = await client(
      ...['add', '-d', folder, '-o', 'other.bin', '--header', 'X-Token: words', '--cookies', cookies],
      ...['-x', '2', '--limit', '5M', '--json', source.url('/named.bin')],
    )
    expect(ended.code).toBe(0)
    expect(JSON.parse(ended.stdout)).toMatchObject({ kind: 'added', link: source.url('/named.bin') })
    await expect.poll(async () => (await rows())[0]?.state, { timeout: 20_000 }).toBe('COMPLETED')
    expect((await rows())[0]?.outputs).toEqual([path.join(folder, 'other.bin')])
    const { headers } = source.requests('/named.bin')[0] ?? { headers: {} }
    expect(headers).toMatchObject({ 'x-token': 'words', cookie: 'session=abc' })
  })

  it('refuses what get refuses, before the host is asked, and says what the host refuses', async () => {
    expect(await client('add', 'ftp://example.org/x')).toMatchObject({ code: 2, stdout: '' })
    expect(await client('add', '-o', 'x', 'http://a.test/1', 'http://a.test/2')).toMatchObject({ code: 2 })
    const refused = await client('add', '-d', '/etc', source.url('/x'))
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^sluice: This folder is outside .*\(FORBIDDEN\)\. .*--download-root/)
    expect(await rows()).toEqual([])
  })

  it('takes more links than one request holds, in several requests', async () => {
    const list = path.join(server.base, 'links.txt')
    writeFileSync(
      list,
      `${source.url('/many/[001-500]')}\n${source.url(`/long/${'x'.repeat(7000)}`)}[01-99]\n`,
    )
    const added = await client('add', '--paused', '-i', list)
    expect(added).toMatchObject({ code: 0, stderr: '' })
    expect(lines(added.stdout)).toHaveLength(599)
    expect((await rows('--limit', '550')).length).toBe(550)
    expect(await client('cancel', '--all')).toMatchObject({ code: 0 })
    expect((await client('remove', '--finished')).stdout).toBe('599 downloads are removed\n')
  })
})

describe('sluice list', () => {
  it('shows a table, as wide as what is in it, or JSON lines; filtered, searched and sorted', async () => {
    await addPaused('b.bin', 'a.bin', 'c.bin')
    const { stdout } = await client('list')
    expect(lines(stdout)[0]).toMatch(/^ID +STATE +DONE +SIZE +SPEED +LEFT +NAME$/)
    expect(lines(stdout)[1]).toMatch(/^[0-9a-f]{8} {2}paused +b\.bin$/)
    expect(stdout).not.toContain('\u001b')
    const titles = async (...args: string[]) => (await rows(...args)).map(({ title }) => title)
    expect(await titles('--sort', 'title')).toEqual(['a.bin', 'b.bin', 'c.bin'])
    expect(await titles('--sort', 'title', '--reverse', '--limit', '2')).toEqual(['c.bin', 'b.bin'])
    expect(await titles('--search', 'a.b')).toEqual(['a.bin'])
    expect(await titles('--state', 'running')).toEqual([])
    await client('cancel', '--all')
    expect(await titles('--state', 'cancelled')).toHaveLength(3)
    expect((await client('list', '--state', 'running')).stdout).toBe('No downloads.\n')
    for (const field of listQuerySchema.shape.sort.options) {
      expect(await client('list', '--sort', field)).toMatchObject({ code: 0 })
    }
    expect(await client('list', '--state', 'asleep')).toMatchObject({ code: 2 })
  })
})

describe('operations', () => {
  it('pause, resume and cancel, by the beginning of an id or all of a kind', async () => {
    source.serve('/slow.bin', { length: 5_000_000, seed: 2, etag: '"a"', bytesPerSecond: 200_000 })
    await client('add', '-x', '1', source.url('/slow.bin'))
    await expect.poll(async () => (await rows())[0]?.state, { timeout: 20_000 }).toBe('RUNNING')
    const id = (await rows())[0]?.id ?? ''
    const short = id.slice(0, 8)
    expect(await client('pause', short)).toMatchObject({ code: 0, stdout: `paused: ${short} slow.bin\n` })
    await expect.poll(async () => (await rows())[0]?.state, { timeout: 20_000 }).toBe('PAUSED')
    expect((await client('pause', id)).stdout).toBe(`paused already: ${short} slow.bin\n`)
    expect((await client('resume', '--all')).stdout).toBe(`resumed: ${short} slow.bin\n`)
    const cancelled = await client('cancel', id.slice(0, 5), '--json')
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ kind: 'done', id, changed: true })
    await expect.poll(async () => (await rows())[0]?.state, { timeout: 20_000 }).toBe('CANCELLED')
    const late = await client('pause', short)
    expect(late).toMatchObject({ code: 1, stdout: '' })
    expect(late.stderr).toMatch(new RegExp(`^sluice: ${short} slow\\.bin: .+ \\(CONFLICT\\)\\. `))
  })

  it('retry as a new one, download anew, remove with or without the files', async () => {
    source.serve('/file.bin', { length: 1000, seed: 3 })
    await client('add', source.url('/file.bin'))
    await expect.poll(async () => (await rows())[0]?.state, { timeout: 20_000 }).toBe('COMPLETED')
    const first = (await rows())[0]
    expect((await client('retry', first?.id ?? '')).stdout).toMatch(/^queued again: [0-9a-f]{8} file\.bin\n$/)
    await expect.poll(async () => (await rows('--state', 'completed')).length, { timeout: 20_000 }).toBe(2)
    const second = (await rows()).find(({ id }) => id !== first?.id)
    expect((await client('redownload', second?.id ?? '')).code).toBe(0)
    await expect
      .poll(async () => (await rows('--state', 'completed')).find(({ id }) => id === second?.id)?.jobId, {
        timeout: 20_000,
      })
      .not.toBe(second?.jobId)
    const isThere = (row: TaskRow | undefined) => statSync(row?.outputs[0] ?? '', { throwIfNoEntry: false })
    expect(await client('remove', first?.id ?? '')).toMatchObject({ code: 0 })
    expect(isThere(first)).toBeDefined()
    expect(await client('remove', '--delete-files', second?.id ?? '')).toMatchObject({ code: 0 })
    await expect.poll(() => isThere(second)).toBeUndefined()
    expect(await rows()).toEqual([])
    const history = await client('history', '--json', '--limit', '3')
    expect(lines(history.stdout)).toHaveLength(3)
    expect((await client('history', '--limit', '1')).stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d {2}completed {4}1\.0 kB {2}file/,
    )
    const entry = JSON.parse(lines(history.stdout)[0] ?? '') as { id: string }
    expect(await client('history', '--forget', entry.id)).toMatchObject({ code: 0, stdout: '' })
    expect((await client('history', '--json')).stdout).not.toContain(entry.id)
  })

  it('move: to the front, to the end, before another', async () => {
    await client('settings', 'scheduleWindows', '[{"day":"mon","from":"00:00","to":"00:01"}]')
    await client('settings', 'scheduleMode', 'pause')
    await client('add', ...['a', 'b', 'c'].map((name) => source.url(`/${name}.bin`)))
    const order = async () => (await rows()).map(({ title }) => title[0]).join('')
    const idOf = async (name: string) => (await rows()).find(({ title }) => title === `${name}.bin`)?.id ?? ''
    expect(await order()).toBe('abc')
    await client('move', '--front', await idOf('c'))
    expect(await order()).toBe('cab')
    await client('move', '--back', await idOf('c'))
    expect(await order()).toBe('abc')
    await client('move', await idOf('c'), '--before', await idOf('b'))
    expect(await order()).toBe('acb')
    expect(await client('move', await idOf('c'))).toMatchObject({ code: 2 })
    expect(await client('move', '--front', '--back', await idOf('c'))).toMatchObject({ code: 2 })
    await client('settings', 'scheduleMode', 'off')
  })

  it('say what cannot be meant', async () => {
    const [id] = await addPaused('x.bin', 'y.bin')
    expect((await client('pause')).stderr).toContain(
      'It is not clear which downloads are meant (INVALID_INPUT)',
    )
    expect((await client('pause', id ?? '', '--all')).code).toBe(2)
    expect(await client('pause', 'ffffffff')).toMatchObject({
      code: 1,
      stderr: 'sluice: No download has the id "ffffffff" (JOB_NOT_FOUND). See "sluice list" for the ids.\n',
    })
    expect((await client('pause', (id ?? '').slice(0, 2))).stderr).toContain('too short for an id')
    expect(await client('remove', '--finished', '--delete-files')).toMatchObject({ code: 2 })
    await client('cancel', '--all')
    expect(await client('resume', '--all')).toMatchObject({ code: 0, stdout: 'Nothing to do.\n' })
  })
})

describe('sluice show and status', () => {
  it('tell all there is to know, secrets masked', async () => {
    const [id] = await addPaused('x.bin')
    await client('add', '--paused', '--header', 'Cookie: a=canary-words', source.url('/secret.bin'))
    const secret = (await rows()).find(({ title }) => title === 'secret.bin')?.id ?? ''
    const { stdout } = await client('show', id ?? '')
    expect(stdout).toContain(`  id        ${id}\n`)
    expect(stdout).toContain('  state     paused (user)\n')
    expect(stdout).toContain(`  link      ${source.url('/x.bin')}\n`)
    expect((await client('show', '--json', secret)).stdout).not.toContain('canary')
    const status = await client('status')
    expect(status.stdout).toContain(`at http://127.0.0.1:${server.port}/`)
    expect(status.stdout).toMatch(/downloads: 0 running, 0 waiting, 2 paused, 0 completed/)
    expect(JSON.parse((await client('status', '--json')).stdout)).toMatchObject({ dataFolder: dataDir })
  })
})

describe('sluice settings', () => {
  it('shows all, shows one, changes one; refuses values, names and what is not for the API', async () => {
    const all = await client('settings')
    expect(lines(all.stdout).map((line) => line.split(' = ')[0])).toEqual(Object.keys(settingsSchema.shape))
    expect((await client('settings', 'maxConcurrentTasks', '7')).stdout).toBe('7\n')
    expect((await client('settings', 'maxConcurrentTasks')).stdout).toBe('7\n')
    expect(JSON.parse((await client('settings', '--json')).stdout)).toMatchObject({ maxConcurrentTasks: 7 })
    expect((await client('settings', 'maxConcurrentTasks', '70')).code).toBe(2)
    expect((await client('settings', 'maxconcurrent')).stderr).toContain('Did you mean maxConcurrentTasks?')
    for (const [key, value] of [
      ['ffmpegPath', '/bin/sh'],
      ['localApi', 'on'],
      ['localApiPort', '9000'],
    ] as const) {
      expect((await client('settings', key, value)).stderr).toContain('(FORBIDDEN)')
    }
    await client('settings', 'maxConcurrentTasks', '3')
  })
})

describe('which host, and whether it takes us', () => {
  const elsewhere = (): string => mkdtempSync(path.join(tmpdir(), 'sluice-nobody-'))

  it('--data-dir goes before SLUICE_DATA_DIR; where no host runs, 3 says so', async () => {
    const nobody = elsewhere()
    expect(await sluice(['list', '--data-dir', dataDir], { SLUICE_DATA_DIR: nobody })).toMatchObject({
      code: 0,
    })
    const alone = await sluice(['list'], { SLUICE_DATA_DIR: nobody })
    expect(alone).toMatchObject({ code: 3, stdout: '' })
    expect(alone.stderr).toMatch(
      /^sluice: No host runs with the data folder .+ \(NETWORK_ERROR\)\. Start one/,
    )
    rmSync(nobody, { recursive: true })
  })

  it('an announcement of a process that is gone, or of another one, is none', async () => {
    const stale = elsewhere()
    const announced = JSON.parse(readFileSync(path.join(dataDir, 'host.json'), 'utf8')) as object
    for (const wrong of [{ startTime: 'another life' }, { pid: 999_999_999 }, { port: 0 }]) {
      writeFileSync(path.join(stale, 'host.json'), JSON.stringify({ ...announced, ...wrong }))
      expect((await sluice(['list'], { SLUICE_DATA_DIR: stale })).code).toBe(3)
    }
    writeFileSync(path.join(stale, 'host.json'), '{"pid":')
    expect((await sluice(['list'], { SLUICE_DATA_DIR: stale })).code).toBe(3)
    rmSync(stale, { recursive: true })
  })

  it('the app’s data folder is looked at too', async () => {
    const config = elsewhere()
    mkdirSync(path.join(config, 'sluice'))
    for (const name of ['host.json', 'secret']) {
      writeFileSync(path.join(config, 'sluice', name), readFileSync(path.join(dataDir, name)))
    }
    const nothing = path.join(config, 'none')
    const environment = { XDG_CONFIG_HOME: config, XDG_DATA_HOME: nothing, SLUICE_DATA_DIR: undefined }
    expect(await sluice(['list'], environment)).toMatchObject({ code: 0 })
    rmSync(config, { recursive: true })
  })

  it('a wrong secret is told with what to do; the right one may come from SLUICE_SECRET', async () => {
    const wrong = await sluice(['list'], { SLUICE_DATA_DIR: dataDir, SLUICE_SECRET: 'wrong' })
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('does not take this secret (UNAUTHORIZED). Set SLUICE_SECRET')
    const right = { SLUICE_DATA_DIR: dataDir, SLUICE_SECRET: server.server.secret }
    expect(await sluice(['list'], right)).toMatchObject({ code: 0 })
  })

  it('secret shows it, or the link with it; rotated, the old one is worth nothing within moments', async () => {
    const before = server.server.secret
    expect((await client('secret')).stdout).toBe(`${before}\n`)
    expect((await client('secret', '--link')).stdout).toBe(
      `http://127.0.0.1:${server.port}/#secret=${before}\n`,
    )
    const given = { SLUICE_DATA_DIR: dataDir, SLUICE_SECRET: 'mine' }
    expect((await sluice(['secret'], given)).stdout).toBe('mine\n')
    expect(await sluice(['secret', '--rotate'], given)).toMatchObject({ code: 1, stdout: '' })

    const rotated = (await client('secret', '--rotate')).stdout.trim()
    expect(rotated).not.toBe(before)
    expect(statSync(path.join(dataDir, 'secret')).mode & 0o777).toBe(0o600)
    const statusWith = async (secret: string) =>
      (await server.fetch('/api/config', { headers: { 'X-Secret-Key': secret } })).status
    await expect.poll(() => statusWith(rotated), { timeout: 10_000, interval: 500 }).toBe(200)
    expect(await statusWith(before)).toBe(401)
    expect(await client('list')).toMatchObject({ code: 0 })

    const fresh = elsewhere()
    expect((await sluice(['secret'], { SLUICE_DATA_DIR: fresh })).stderr).toContain('has no secret yet')
    const made = await sluice(['secret', '--rotate'], { SLUICE_DATA_DIR: fresh })
    expect((await sluice(['secret'], { SLUICE_DATA_DIR: fresh })).stdout).toBe(made.stdout)
    rmSync(fresh, { recursive: true })
  })
})
