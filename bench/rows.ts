/** The rows of the benchmark table: what is served, and who downloads it how. A peer is given its best settings. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startNginx, startThrottled } from './origin.ts'
import type { Contender } from './measure.ts'

export interface Setting {
  contenders: Contender[]
  /** read once before every run, so that the page cache and not a cold disk serves it */
  sources: readonly string[]
  /** Throws unless the folder holds exactly what was to be downloaded, byte by byte. */
  check(folder: string): void
  close(): Promise<void>
}

export interface Row {
  id: string
  title: string
  /** the agreed targets, in words */
  targets: string
  prepare(scratch: string): Promise<Setting>
}

const aria2 = ['aria2c', '-q', '--no-conf', '--file-allocation=none']
const sluice = join(import.meta.dirname, '../bin/sluice')
const MiB = 1 << 20

/** `diff -r` of two folders: hidden leftovers are differences too. */
function sameFolder(root: string): (folder: string) => void {
  return (folder) => execFileSync('diff', ['-r', '-q', root, folder], { stdio: 'pipe' })
}

/** One file of so many zeros. */
function onlyZeros(length: number): (folder: string) => void {
  return (folder) => {
    const names = readdirSync(folder)
    if (names.length !== 1 || names[0] === undefined) throw new Error(`left ${names.join(', ')}`)
    const path = join(folder, names[0])
    if (statSync(path).size !== length) throw new Error(`the file has ${statSync(path).size} bytes`)
    execFileSync('cmp', ['-n', String(length), path, '/dev/zero'], { stdio: 'pipe' })
  }
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function makeFile(path: string, bytes: number): void {
  execFileSync('dd', ['if=/dev/urandom', `of=${path}`, 'bs=1M', `count=${bytes / MiB}`], { stdio: 'ignore' })
}

async function bulk(scratch: string, scheme: 'http' | 'https'): Promise<Setting> {
  const root = join(scratch, 'root')
  await mkdir(root, { recursive: true })
  const source = join(root, 'file.bin')
  makeFile(source, 512 * MiB)
  const origin = await startNginx(root, join(scratch, 'nginx'))
  const url = `${origin[scheme]}/file.bin`
  const trusted = { NODE_EXTRA_CA_CERTS: origin.certificate }
  const { certificate } = origin
  return {
    sources: [source],
    check: sameFolder(root),
    contenders: [
      { name: 'sluice', command: [sluice, 'get', '-q', url], env: trusted },
      { name: 'curl', command: ['curl', '-sS', '--cacert', certificate, '-O', url] },
      {
        name: 'aria2c -x16 -s16 -k1M',
        command: [...aria2, '-x16', '-s16', '-k1M', `--ca-certificate=${certificate}`, url],
      },
      { name: 'wget', command: ['wget', '-q', `--ca-certificate=${certificate}`, url] },
      { name: 'axel -n16', command: ['axel', '-q', '-n16', url] },
    ].filter(({ command }) => command[0] === sluice || isInstalled(command[0] ?? '')),
    close: () => origin.close(),
  }
}

async function throttled(rateOf: (connection: number) => number, withDefault: boolean): Promise<Setting> {
  const length = 256 * MiB
  const origin = await startThrottled(length, rateOf)
  return {
    sources: [],
    check: onlyZeros(length),
    contenders: [
      { name: 'sluice -x16', command: [sluice, 'get', '-q', '-x', '16', origin.url] },
      { name: 'aria2c -x16 -s16 -k1M', command: [...aria2, '-x16', '-s16', '-k1M', origin.url] },
      ...(withDefault ? [{ name: 'aria2c -x16 -s16', command: [...aria2, '-x16', '-s16', origin.url] }] : []),
    ],
    close: () => origin.close(),
  }
}

async function smallFiles(scratch: string): Promise<Setting> {
  const root = join(scratch, 'root')
  await mkdir(root, { recursive: true })
  const names = Array.from({ length: 1000 }, (_, index) => `file-${String(index).padStart(4, '0')}.bin`)
  for (const [index, name] of names.entries()) {
    await writeFile(join(root, name), Buffer.alloc(20_000, index % 251))
  }
  const origin = await startNginx(root, join(scratch, 'nginx'))
  const list = join(scratch, 'links.txt')
  await writeFile(list, names.map((name) => `${origin.http}/${name}\n`).join(''))
  return {
    sources: names.map((name) => join(root, name)),
    check: sameFolder(root),
    contenders: [
      { name: 'sluice -j16', command: [sluice, 'get', '-q', '-j', '16', '-i', list] },
      { name: 'aria2c -j16', command: [...aria2, '-j16', '-i', list] },
    ],
    close: () => origin.close(),
  }
}

export const rows: Row[] = [
  {
    id: 'http',
    title: 'One file of 512 MiB over http',
    targets:
      'Targets: wall ≤ 0.5 × aria2c and ≤ 1.0 × curl; CPU ≤ 0.65 × aria2c and ≤ 1.0 × curl; worker ≤ 100 MB.',
    prepare: (scratch) => bulk(scratch, 'http'),
  },
  {
    id: 'https',
    title: 'One file of 512 MiB over https (ECDSA, TLS 1.3)',
    targets: 'Targets: wall ≤ 0.55 × aria2c and ≤ 1.0 × curl.',
    prepare: (scratch) => bulk(scratch, 'https'),
  },
  {
    id: 'throttled',
    title: '256 MiB, each connection 4 MiB/s (ideal with 16: 4.0 s)',
    targets: 'Targets: wall ≤ 1.2 × ideal and ≤ 0.95 × aria2c -k1M.',
    prepare: () => throttled(() => 4 * MiB, false),
  },
  {
    id: 'uneven',
    title: '256 MiB, every fourth connection 8 × slower than 4 MiB/s (ideal with 16: 5.1 s)',
    targets: 'Targets: wall ≤ 0.8 × aria2c -k1M and ≤ 0.25 × its default.',
    prepare: () => throttled((connection) => (connection % 4 === 0 ? MiB / 2 : 4 * MiB), true),
  },
  {
    id: 'small-files',
    title: '1000 files of 20 KB, 16 at once, each a durable task',
    targets: 'Target: wall ≤ 0.5 × aria2c -j16.',
    prepare: smallFiles,
  },
]
