/** The main job: links become whole files, lists and pairs too, and the exit code says so. */
import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findFfmpeg } from '../../src/adapters/ffmpeg.ts'
import { testCertificates } from '../fault-server/certificates.ts'
import { FaultServer, seededBody, sha256Of } from '../fault-server/fault-server.ts'
import { entriesOf, runSluice, signalGroup, startSluice, temporaryFolder } from './sluice.ts'

const hasFfmpeg = (await findFfmpeg('')) !== null

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

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

describe('sluice get', () => {
  it('downloads a link to the current folder, equal to its source, and leaves nothing else', async () => {
    server.serve('/file.bin', { length: 5_000_000, seed: 9, etag: '"a"' })
    const ended = await runSluice(['get', server.url('/file.bin')], { cwd: folder })
    expect(ended).toMatchObject({ code: 0, errors: [] })
    expect(ended.stdout).toContain('file.bin: complete (5.0 MB)\n')
    expect(await entriesOf(folder)).toEqual(['file.bin'])
    expect(await sha256(join(folder, 'file.bin'))).toBe(sha256Of(seededBody(5_000_000, 9)))
  })

  it('makes the folder of -d, takes the name of -o, sends the headers of --header', async () => {
    server.serve('/file.bin', { length: 100 })
    const args = ['-d', 'a/b', '-o', 'named.bin', '--header', 'X-Token: secret words', '-q']
    const ended = await runSluice(['get', ...args, server.url('/file.bin')], { cwd: folder })
    expect(ended).toMatchObject({ code: 0, errors: [], stdout: '' })
    expect(await entriesOf(join(folder, 'a/b'))).toEqual(['named.bin'])
    expect(server.log[0]?.headers['x-token']).toBe('secret words')
  })

  it('trusts the authorities of --ca-certificate, and no host of theirs without it', async () => {
    await using source = await FaultServer.start({ tls: 'local' })
    source.serve('/file.bin', { length: 100 })
    await writeFile(join(folder, 'own.pem'), testCertificates.authority())
    const refused = await runSluice(['get', source.url('/file.bin')], { cwd: folder })
    expect(refused.code).toBe(1)
    expect(refused.errors.join()).toContain('cannot be trusted')
    const args = ['--ca-certificate', 'own.pem', '-d', 'to', source.url('/file.bin')]
    expect(await runSluice(['get', ...args], { cwd: folder })).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(join(folder, 'to'))).toEqual(['file.bin'])
  })

  it.skipIf(process.platform !== 'linux')('trusts the authorities of the system', async () => {
    await using source = await FaultServer.start({ tls: 'local' })
    source.serve('/file.bin', { length: 100 })
    // where OpenSSL, and so Node, looks for those of a Linux system
    const env = { SSL_CERT_FILE: testCertificates.authorityPath() }
    const ended = await runSluice(['get', source.url('/file.bin')], { cwd: folder, env })
    expect(ended).toMatchObject({ code: 0, errors: [] })
  })

  it('never replaces a file: a name that is taken gets a number', async () => {
    await writeFile(join(folder, 'file.bin'), 'mine')
    server.serve('/file.bin', { length: 100 })
    const ended = await runSluice(['get', server.url('/file.bin')], { cwd: folder })
    expect(ended.code).toBe(0)
    expect(await entriesOf(folder)).toEqual(['file (1).bin', 'file.bin'])
    expect(await readFile(join(folder, 'file.bin'), 'utf8')).toBe('mine')
  })

  it('reads links from a list and from standard input, each one once', async () => {
    for (const name of ['a', 'b', 'c'])
      server.serve(`/${name}.bin`, { length: 1000, seed: name.charCodeAt(0) })
    await writeFile(
      join(folder, 'links.txt'),
      `\ufeff${server.url('/a.bin')}\r\n\r\n# b\r\n${server.url('/b.bin')}\r\n`,
    )
    const listed = await runSluice(['get', '-i', 'links.txt', server.url('/a.bin')], { cwd: folder })
    expect(listed.code).toBe(0)
    const input = `${server.url('/c.bin')}\n`
    const piped = await runSluice(['get', '-i', '-'], { cwd: folder, input })
    expect(piped.code).toBe(0)
    expect(await entriesOf(folder)).toEqual(['a.bin', 'b.bin', 'c.bin', 'links.txt'])
  })

  it('expands patterns in links and lists, and sends cookies and passwords where they belong', async () => {
    for (const name of ['p1', 'p2', 'q08', 'q09']) server.serve(`/${name}.bin`, { length: 100 })
    const { hostname } = new URL(server.url('/'))
    await writeFile(join(folder, 'links.txt'), `${server.url('/q[08-09].bin')}\n`)
    await writeFile(
      join(folder, 'cookies.txt'),
      [
        `# Netscape HTTP Cookie File\n${hostname}\tFALSE\t/\tFALSE\t0\there\tyes`,
        `elsewhere.example\tFALSE\t/\tFALSE\t0\tthere\tno\n`,
      ].join('\n'),
    )
    await writeFile(join(folder, 'netrc'), `machine ${hostname} login me password words\n`)
    const args = [
      '-i',
      'links.txt',
      '--cookies',
      'cookies.txt',
      '--netrc-file',
      'netrc',
      server.url('/p[1-2].bin'),
    ]
    const ended = await runSluice(['get', ...args], { cwd: folder })
    expect(ended).toMatchObject({ code: 0, errors: [] })
    const names = ['p1.bin', 'p2.bin', 'q08.bin', 'q09.bin']
    expect(await entriesOf(folder)).toEqual(['cookies.txt', 'links.txt', 'netrc', ...names].toSorted())
    for (const name of names) {
      expect(server.requests(`/${name}`)[0]?.headers).toMatchObject({
        cookie: 'here=yes',
        authorization: `Basic ${Buffer.from('me:words').toString('base64')}`,
      })
    }
  })

  it('runs at most -j files at once', async () => {
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) {
      server.serve(`/${name}.bin`, { length: 30_000, seed: 1, bytesPerSecond: 60_000, ranges: 'refuse' })
    }
    const links = names.map((name) => server.url(`/${name}.bin`))
    const ended = await runSluice(['get', '-j', '2', ...links], { cwd: folder })
    expect(ended.code).toBe(0)
    expect(server.mostConnections).toBeLessThanOrEqual(2)
    expect(await entriesOf(folder)).toEqual(names.map((name) => `${name}.bin`))
  })

  it('fetches the others when one of them fails, and later only what is missing', async () => {
    server.serve('/good.bin', { length: 1000, seed: 1 })
    const args = ['get', server.url('/good.bin'), server.url('/late.bin')]
    const first = await runSluice(args, { cwd: folder })
    expect(first.code).toBe(1)
    expect(first.errors).toHaveLength(2)
    expect(first.errors[0]).toMatch(/^sluice: late\.bin: .*\(NOT_FOUND\)/)
    expect(first.errors[1]).toBe('sluice: 1 of 2 files are whole; the same command tries the others again.')

    server.serve('/late.bin', { length: 2000, seed: 2 })
    const second = await runSluice(args, { cwd: folder })
    expect(second).toMatchObject({ code: 0, errors: [] })
    expect(server.requests('/good.bin')).toHaveLength(1)
    expect(await entriesOf(folder)).toEqual(['good.bin', 'late.bin'])
  })

  it('fetches a whole file again that was taken away before the others came', async () => {
    server.serve('/good.bin', { length: 1000, seed: 1 })
    const args = ['get', server.url('/good.bin'), server.url('/late.bin')]
    await runSluice(args, { cwd: folder })
    await rm(join(folder, 'good.bin'))
    server.serve('/late.bin', { length: 2000, seed: 2 })
    const second = await runSluice(args, { cwd: folder })
    expect(second).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(folder)).toEqual(['good.bin', 'late.bin'])
  })

  it('refuses to run beside itself', async () => {
    server.serve('/slow.bin', { length: 1_000_000, bytesPerSecond: 50_000 })
    const args = ['get', server.url('/slow.bin')]
    const first = startSluice(args, { cwd: folder })
    await server.until(() => server.bodyBytesSent('/slow.bin') > 0)
    const second = await runSluice(args, { cwd: folder })
    expect(second.code).toBe(1)
    expect(second.errors).toEqual([
      expect.stringContaining('The same command is at work already (CONFLICT). Wait'),
    ])
    signalGroup(first, 'SIGKILL')
    await first.ended
  })

  it('takes a page as a file when --direct says so', async () => {
    server.serve('/page', { body: '<!doctype html><title>x</title>', contentType: 'text/html' })
    const ended = await runSluice(['get', '--direct', '-o', 'page.txt', server.url('/page')], { cwd: folder })
    expect(ended).toMatchObject({ code: 0, errors: [] })
  })

  it('holds the speed of --limit', async () => {
    server.serve('/file.bin', { length: 600_000, seed: 1 })
    const began = performance.now()
    const ended = await runSluice(['get', '--limit', '200k', server.url('/file.bin')], { cwd: folder })
    expect(ended.code).toBe(0)
    expect(performance.now() - began).toBeGreaterThan(2000)
  })
})

describe('a video and an audio link', () => {
  interface Probe {
    streams: { codec_type: string; duration: string }[]
  }
  const media = (name: string) => readFile(join(import.meta.dirname, '../media/files', name))
  const ffprobe = (path: string): Probe => {
    const args = ['-v', 'error', '-show_streams', '-of', 'json', path]
    return JSON.parse(execFileSync('ffprobe', args).toString()) as Probe
  }

  /** A PATH with everything of the real one but FFmpeg. */
  async function pathWithoutFfmpeg(): Promise<string> {
    const bin = join(folder, '.bin')
    await mkdir(bin)
    for (const entry of await readdir('/usr/bin')) {
      if (!entry.startsWith('ff')) await symlink(join('/usr/bin', entry), join(bin, entry))
    }
    return bin
  }

  it.skipIf(!hasFfmpeg).each([
    ['with FFmpeg on the PATH', true],
    ['without FFmpeg', false],
  ])('become one file with both streams, %s', async (_how, withFfmpeg) => {
    server.serve('/v.mp4', { body: await media('video.mp4'), contentType: 'video/mp4', etag: '"v"' })
    server.serve('/a.m4a', { body: await media('audio.m4a'), contentType: 'audio/mp4', etag: '"a"' })
    const env = withFfmpeg ? {} : { PATH: await pathWithoutFfmpeg() }
    const target = join(folder, 'target')
    const args = [
      'get',
      '--video',
      server.url('/v.mp4'),
      '--audio',
      server.url('/a.m4a'),
      '-o',
      'out.mp4',
      '-d',
      target,
    ]
    const ended = await runSluice(args, { cwd: folder, env })
    expect(ended).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(target)).toEqual(['out.mp4'])
    const { streams } = ffprobe(join(target, 'out.mp4'))
    expect(streams.map((stream) => stream.codec_type).toSorted()).toEqual(['audio', 'video'])
    for (const stream of streams) expect(Math.abs(Number(stream.duration) - 4)).toBeLessThan(0.04)
  })
})
