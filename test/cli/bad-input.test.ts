/** Issue "The main job": each kind of bad input ends in one line with a code and a next step, and leaves nothing. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FaultServer } from '../fault-server/fault-server.ts'
import { entriesOf, runSluice, startSluice, temporaryFolder } from './sluice.ts'
import type { Ended } from './sluice.ts'

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

const get = (...args: string[]): Promise<Ended> => runSluice(['get', ...args], { cwd: folder })

/** One line, with this code and a sentence behind it. */
function expectOneLine(ended: Ended, code: string): void {
  expect(ended.errors).toHaveLength(1)
  expect(ended.errors[0]).toMatch(new RegExp(`^sluice: .+ \\(${code}\\)\\. [A-Z].+[.…]$`))
}

describe('bad usage ends with exit code 2 and touches nothing', () => {
  it.each([
    ['what is not a link', ['example'], 'INVALID_INPUT'],
    ['a scheme that is not supported', ['ftp://example.org/x'], 'UNSUPPORTED'],
    ['a local path in the clothes of a link', ['file:///etc/passwd'], 'UNSUPPORTED'],
    ['an unknown option', ['--frobnicate', 'http://example.org/x'], 'INVALID_INPUT'],
    ['no link at all', [], 'INVALID_INPUT'],
    ['a pair without its sound', ['--video', 'http://example.org/v'], 'INVALID_INPUT'],
    [
      'a pair beside links',
      ['--video', 'http://a/v', '--audio', 'http://a/a', 'http://a/x'],
      'INVALID_INPUT',
    ],
    ['one name for two links', ['-o', 'x', 'http://example.org/a', 'http://example.org/b'], 'INVALID_INPUT'],
    ['a name with a path in it', ['-o', '../x', 'http://example.org/a'], 'INVALID_INPUT'],
    ['too many connections', ['-x', '17', 'http://example.org/a'], 'INVALID_INPUT'],
    ['files at once that are no number', ['-j', 'many', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a speed without a meaning', ['--limit', 'fast', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a header without a colon', ['--header', 'nonsense', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a header with a line break', ['--header', 'A: b\r\nX: y', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a checksum that is too short', ['--checksum', 'sha256:abc', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a proxy of an unknown kind', ['--proxy', 'gopher://x:1', 'http://example.org/a'], 'INVALID_INPUT'],
    ['a list that is not there', ['-i', 'missing.txt'], 'INVALID_INPUT'],
    [
      'authorities that are not there',
      ['--ca-certificate', 'missing.pem', 'http://example.org/a'],
      'INVALID_INPUT',
    ],
    [
      'authorities in a file that has none',
      ['--ca-certificate', import.meta.filename, 'http://example.org/a'],
      'INVALID_INPUT',
    ],
    ['silence and JSON at once', ['-q', '--json', 'http://example.org/a'], 'INVALID_INPUT'],
  ])('%s', async (_what, args, code) => {
    const ended = await get(...args)
    expect(ended.code).toBe(2)
    expectOneLine(ended, code)
    expect(ended.stdout).toBe('')
    expect(await entriesOf(folder)).toEqual([])
  })

  it('names the bad link among many', async () => {
    await writeFile(join(folder, 'links.txt'), `${server.url('/a')}\n# a comment\n\nnonsense\n`)
    const ended = await get('-i', 'links.txt')
    expect(ended.code).toBe(2)
    expectOneLine(ended, 'INVALID_INPUT')
    expect(ended.errors[0]).toContain('"nonsense"')
    expect(server.log).toEqual([])
    expect(await entriesOf(folder)).toEqual(['links.txt'])
  })

  it('refuses an unknown command', async () => {
    const ended = await runSluice(['fetch', 'http://example.org/a'], { cwd: folder })
    expect(ended.code).toBe(2)
    expectOneLine(ended, 'INVALID_INPUT')
  })
})

describe('what cannot be downloaded ends with exit code 1 and leaves nothing', () => {
  it('a host that does not exist', async () => {
    const ended = await get('http://no-such-host.invalid/file.bin')
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'HOST_NOT_FOUND')
    expect(await entriesOf(folder)).toEqual([])
  })

  it('a link that the host does not know (404)', async () => {
    const ended = await get(server.url('/missing.bin'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'NOT_FOUND')
    expect(await entriesOf(folder)).toEqual([])
  })

  it('a page in place of a video', async () => {
    server.serve('/video.mp4', { body: '<!doctype html><title>Sign in</title>', contentType: 'text/html' })
    server.serve('/audio.m4a', { length: 1000 })
    const ended = await get('--video', server.url('/video.mp4'), '--audio', server.url('/audio.m4a'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'LOOKS_LIKE_A_PAGE')
    expect(await entriesOf(folder)).toEqual([])
  })

  it('a file without the checksum that was asked for', async () => {
    server.serve('/file.bin', { length: 1000 })
    const sum = `sha256:${'0'.repeat(64)}`
    const ended = await get('--checksum', sum, server.url('/file.bin'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'CHECKSUM_MISMATCH')
    expect(await entriesOf(folder)).toEqual([])
  })

  it('a host that does not answer is asked for one link only, and the command still ends', async () => {
    const links = ['a', 'b', 'c'].map((name) => server.url(`/${name}.bin`))
    await server.close()
    const ended = await get('-j', '1', ...links)
    expect(ended.code).toBe(1)
    expect(ended.errors).toHaveLength(4)
    expect(ended.errors[0]).toMatch(/^sluice: a\.bin: .+ \(NETWORK_ERROR\)\. .+ The same command goes on\.$/)
    expect(ended.errors[1]).toMatch(
      /^sluice: b\.bin: The host does not answer \(NETWORK_ERROR\)\. .+ goes on\.$/,
    )
    expect(ended.errors[3]).toMatch(/^sluice: 0 of 3 files are whole; the same command tries/)
  })

  it('takes away the folders it made when nothing came', async () => {
    const ended = await get('-d', 'new/deeper', server.url('/missing.bin'))
    expect(ended.code).toBe(1)
    expect(await entriesOf(folder)).toEqual([])
  })

  it('a folder that is a file', async () => {
    await writeFile(join(folder, 'taken'), '')
    const ended = await get('-d', 'taken', server.url('/file.bin'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'STORAGE_UNAVAILABLE')
    expect(server.log).toEqual([])
    expect(await entriesOf(folder)).toEqual(['taken'])
  })

  it.skipIf(!existsSync('/proc/self'))('a folder that cannot be made where it is asked for', async () => {
    const ended = await get('-d', '/proc/sluice/here', server.url('/file.bin'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'STORAGE_UNAVAILABLE')
  })

  it('a folder that cannot be written', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed)
    // permissions do not stop root, a volume that is mounted read-only does
    const isRoot = process.getuid?.() === 0
    if (isRoot) execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', closed])
    else await chmod(closed, 0o555)
    try {
      const ended = await get('-d', 'closed', server.url('/file.bin'))
      expect(ended.code).toBe(1)
      expectOneLine(ended, 'STORAGE_UNAVAILABLE')
      expect(await entriesOf(closed)).toEqual([])
    } finally {
      if (isRoot) execFileSync('umount', [closed])
    }
  })
})

describe('what can be resumed is kept', () => {
  it('tracks that cannot be joined stay for another try, which does not fetch them again', async () => {
    server.serve('/video.mp4', { length: 50_000, seed: 1 })
    server.serve('/audio.m4a', { length: 50_000, seed: 2 })
    const args = ['--video', server.url('/video.mp4'), '--audio', server.url('/audio.m4a')]
    const first = await get(...args)
    expect(first.code).toBe(1)
    expectOneLine(first, 'MUX_ERROR')
    expect(first.errors[0]).toMatch(/The same command goes on\.$/)
    const asked = server.log.length
    const second = await get(...args)
    expect(second.code).toBe(1)
    expectOneLine(second, 'MUX_ERROR')
    expect(server.log.length).toBe(asked)
    // the list of the command and the tracks, nothing else
    expect((await entriesOf(folder)).map((name) => name.slice(0, 8))).toEqual(['.sluice-', '.sluice-'])
  })

  it('a body that ends early, again and again, is told and goes on where it stopped', async () => {
    const resource = { length: 300_000, seed: 5, etag: '"a"' }
    server.serve('/cut.bin', { ...resource, faults: () => ({ breakAfter: { bytes: 100_000, how: 'fin' } }) })
    const first = await get('-x', '1', server.url('/cut.bin'))
    // three pieces of 100 000 bytes make the whole: every break brought something new
    expect(first.code).toBe(0)

    server.serve('/stuck.bin', {
      ...resource,
      faults: (request) =>
        request.range?.start === 0 ? { breakAfter: { bytes: 100_000, how: 'fin' } } : { status: 503 },
    })
    const second = await get('-x', '1', server.url('/stuck.bin'))
    expect(second.code).toBe(1)
    expect(second.errors).toHaveLength(1)
    expect(second.errors[0]).toMatch(/\((NETWORK_ERROR|HTTP_ERROR)\)\. .* The same command goes on\.$/)

    const before = server.requests('/stuck.bin').length
    server.serve('/stuck.bin', resource)
    const third = await get('-x', '1', server.url('/stuck.bin'))
    expect(third.code).toBe(0)
    const later = server.requests('/stuck.bin').slice(before)
    expect(Math.min(...later.map((request) => request.range?.start ?? 0))).toBe(100_000)
    expect(await entriesOf(folder)).toEqual(['cut.bin', 'stuck.bin'])
  }, 120_000)
})

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('on a volume without room', () => {
  let volume: string

  beforeEach(async () => {
    volume = join(folder, 'volume')
    await mkdir(volume)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', volume])
  })
  afterEach(async () => {
    execFileSync('umount', [volume])
    await rm(volume, { recursive: true })
  })

  it('says so before a byte of the body is written, and leaves the volume as it was usable', async () => {
    server.serve('/large.bin', { length: 20_000_000, seed: 3, etag: '"a"' })
    const ended = await get('-d', volume, server.url('/large.bin'))
    expect(ended.code).toBe(1)
    expectOneLine(ended, 'STORAGE_FULL')
    expect(ended.errors[0]).toContain('The same command goes on.')
    expect(server.bodyBytesSent('/large.bin')).toBeLessThan(20_000_000)
    execFileSync('mount', ['-o', 'remount,size=32m', volume])
    expect(await get('-d', volume, server.url('/large.bin'))).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(volume)).toEqual(['large.bin'])
  })

  it('that is filled by others meanwhile is waited for, the list on it included, and that is told', async () => {
    server.serve('/file.bin', { length: 4_000_000, seed: 3, etag: '"a"', bytesPerSecond: 1_000_000 })
    const args = ['get', '-q', '-d', volume, server.url('/file.bin')]
    const running = startSluice(args, { cwd: folder })
    await server.until(() => server.bodyBytesSent('/file.bin') > 500_000)
    const filler = join(volume, 'filler')
    // until nothing fits any more: what arrives meanwhile takes its part
    await writeFile(filler, Buffer.alloc(8_000_000)).catch(() => null)
    await running.told('with the task list is full')
    await rm(filler)
    const ended = await running.ended
    // what met the full drive first, the file or the list, says whether it goes on by itself or by the same command
    const last = ended.code === 0 ? ended : await runSluice(args, { cwd: folder })
    expect(last.code).toBe(0)
    expect(await entriesOf(volume)).toEqual(['file.bin'])
  })

  it('takes what fits, however small the volume is', async () => {
    server.serve('/small.bin', { length: 3_000_000, seed: 3, etag: '"a"' })
    expect(await get('-d', volume, server.url('/small.bin'))).toMatchObject({ code: 0, errors: [] })
    expect(await entriesOf(volume)).toEqual(['small.bin'])
  })
})
