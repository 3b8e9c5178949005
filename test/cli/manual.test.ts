/**
 * What the command line says of itself, word by word: the transcripts in `golden/` are what a person reads. A change
 * of them is a change of the product: look at it, then renew them with `vitest run test/cli/manual.test.ts -u`.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { launcher } from '../built-program.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { sluice } from './in-process.ts'

const run = promisify(execFile)
const golden = (name: string): string => path.join(import.meta.dirname, 'golden', name)
const nobody = { SLUICE_DATA_DIR: '/nonexistent/sluice', SLUICE_SECRET: undefined }

const commands = [
  ...[
    'get',
    'serve',
    'secret',
    'add',
    'list',
    'show',
    'status',
    'pause',
    'resume',
    'cancel',
    'remove',
    'retry',
  ],
  ...['redownload', 'move', 'history', 'settings', 'completion'],
]

describe('the manual', () => {
  it('is what one gets without a command', async () => {
    const [bare, asked] = [await sluice([]), await sluice(['--help'])]
    expect(bare).toMatchObject({ code: 0, stderr: '' })
    expect(bare.stdout).toBe(asked.stdout)
    await expect(bare.stdout).toMatchFileSnapshot(golden('help.txt'))
    const named = [...bare.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1])
    expect(named).toEqual(commands)
  })

  it.each(commands)('of %s explains every option and every exit code, in 80 columns', async (name) => {
    const { code, stdout, stderr } = await sluice([name, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await expect(stdout).toMatchFileSnapshot(golden(`help-${name}.txt`))
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })

  it('tells the version of package.json', async () => {
    expect(await sluice(['--version'])).toMatchObject({ code: 0, stdout: `${packageFile.version}\n` })
  })
})

describe('errors', () => {
  const wrong: readonly string[][] = [
    ['fetch', 'https://example.org/a'],
    ['--frobnicate'],
    ['get'],
    ['get', 'example'],
    ['get', 'ftp://example.org/x'],
    ['get', '--frobnicate', 'https://example.org/a'],
    ['get', '-x'],
    ['get', '-x', '17', 'https://example.org/a'],
    ['get', '-o', 'x', 'https://example.org/[1-2]'],
    ['get', '-o', '../x', 'https://example.org/a'],
    ['get', 'https://example.org/[1-9999][1-9999]'],
    ['get', 'https://example.org/[1-9:0]'],
    ['get', '--limit', 'fast', 'https://example.org/a'],
    ['get', '--header', 'nonsense', 'https://example.org/a'],
    ['get', '--checksum', 'sha256:abc', 'https://example.org/a'],
    ['get', '--proxy', 'gopher://x:1', 'https://example.org/a'],
    ['get', '--cookies', '/nonexistent/cookies.txt', 'https://example.org/a'],
    ['get', '--netrc-file', '/nonexistent/netrc', 'https://example.org/a'],
    ['get', '-i', '/nonexistent/links.txt'],
    ['get', '-q', '--json', 'https://example.org/a'],
    ['get', '--video', 'https://example.org/v'],
    ['serve', '--frobnicate'],
    ['serve', 'now'],
    ['add', 'https://example.org/a'],
    ['add'],
    ['list'],
    ['list', '--state', 'asleep'],
    ['list', '--limit', '0'],
    ['show'],
    ['pause', '--all'],
    ['remove', '--finished', '--delete-files'],
    ['settings', 'nonsense'],
    ['settings', 'maxconcurrent', '3'],
    ['secret'],
    ['completion', 'tcsh'],
  ]

  it('are one line each: what, its code, the next step', async () => {
    let transcript = ''
    for (const args of wrong) {
      const { code, stdout, stderr } = await sluice(args, nobody)
      expect(stdout).toBe('')
      expect(stderr).toMatch(/^sluice: .+ \([A-Z_]+\)\. [A-Z].+[.?…]\n$/)
      transcript += `$ sluice ${args.join(' ')}\n${stderr}→ ${code}\n\n`
    }
    await expect(transcript).toMatchFileSnapshot(golden('errors.txt'))
  })

  it('of formats that nothing can choose yet are told, not passed over', async () => {
    for (const option of [['--format', 'best'], ['--audio-only']]) {
      const { code, stderr } = await sluice(['get', ...option, 'https://example.org/a'])
      expect({ code, stderr }).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('(UNSUPPORTED)') as string,
      })
    }
  })
})

describe.skipIf(!existsSync('/usr/bin/script'))('on a terminal', () => {
  /** What a terminal of so many columns is sent. */
  async function onTerminal(columns: number, args: string, environment: Record<string, string> = {}) {
    const command = `stty cols ${columns} rows 24; '${process.execPath}' '${launcher}' ${args}; true`
    const { stdout } = await run('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '', ...environment },
      timeout: 30_000,
    })
    return stdout.replaceAll('\r\n', '\n')
  }
  const escapes = /\u001b\[[0-9;?]*[A-Za-z]/g
  const widest = (text: string): number =>
    Math.max(
      ...text
        .replace(escapes, '')
        .split(/[\r\n]/)
        .map((line) => line.length),
    )

  it('of 40 columns the manual is as narrow; of 200 it uses them', async () => {
    const [narrow, wide] = await Promise.all([onTerminal(40, 'get --help'), onTerminal(200, 'get --help')])
    const links = narrow.split('\n').filter((line) => !line.includes('http'))
    expect(widest(links.join('\n'))).toBeLessThanOrEqual(40)
    expect(widest(wide)).toBeLessThanOrEqual(200)
    expect(wide.split('\n').length).toBeLessThan(narrow.split('\n').length)
  })

  it('bars are as wide as there is room for, in colours unless NO_COLOR says otherwise', async () => {
    await using source = await FaultServer.start()
    const name = 'a-name-of-a-file-that-is-longer-than-forty-columns-can-show.bin'
    source.serve(`/${name}`, { length: 400_000, seed: 1, bytesPerSecond: 200_000, ranges: 'refuse' })
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-terminal-'))
    const get = (columns: number, environment: Record<string, string> = {}) =>
      onTerminal(
        columns,
        `get -d '${folder}/${columns}${environment['NO_COLOR'] ?? ''}' '${source.url(`/${name}`)}'`,
        environment,
      )
    try {
      const [narrow, wide, plain] = await Promise.all([get(40), get(200), get(100, { NO_COLOR: '1' })])
      for (const [text, columns] of [
        [narrow, 40],
        [wide, 200],
        [plain, 100],
      ] as const) {
        expect(widest(text)).toBeLessThan(columns)
        expect(text).toContain('\u001b[K')
        expect(text.replace(escapes, '')).toMatch(/✓ a-name/)
      }
      expect(wide).toContain(name)
      expect(narrow).toMatch(/\u001b\[3[12]m/)
      expect(plain).not.toMatch(/\u001b\[\d+m/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('an error is one line without colours', async () => {
    const text = await onTerminal(40, 'get nonsense')
    expect(text).toMatch(/^sluice: "nonsense": .+ \(INVALID_INPUT\)\. .+\n$/)
  })
})
