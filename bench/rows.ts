/** The rows of the benchmark table: what is served, and who downloads it how. A peer is given its best settings. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startNginx, startThrottled } from './origin.ts'
import type { Row, Runs, Setting } from './compare.ts'
import { median } from './measure.ts'
import { ratio } from './targets.ts'

const aria2 = ['aria2c', '-q', '--no-conf', '--file-allocation=none']
/** the command line, built */
export const sluice = join(import.meta.dirname, '../bin/sluice')
export const MiB = 1 << 20

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

/** A file of random bytes. */
export function makeFile(path: string, bytes: number): void {
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
    keepsOutputs: false,
    check: sameFolder(root),
    contenders: [
      { name: 'sluice', command: [sluice, 'get', '-q', url], env: trusted },
      { name: 'curl', command: ['curl', '-sS', '--cacert', certificate, '-O', url] },
      {
        name: 'aria2c -x16 -s16 -k1M',
        command: [...aria2, '-x16', '-s16', '-k1M', `--ca-certificate=${certificate}`, url],
      },
      { name: 'wget', command: ['wget', '-q', `--ca-certificate=${certificate}`, url] },
      // it cannot be told of our own authority
      ...(scheme === 'http' ? [{ name: 'axel -n16', command: ['axel', '-q', '-n16', url] }] : []),
    ].filter(({ command }) => command[0] === sluice || isInstalled(command[0] ?? '')),
    close: () => origin.close(),
  }
}

async function throttled(rateOf: (connection: number) => number, withDefault: boolean): Promise<Setting> {
  const length = 256 * MiB
  const origin = await startThrottled(length, rateOf)
  return {
    sources: [],
    keepsOutputs: false,
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
    keepsOutputs: true,
    check: sameFolder(root),
    contenders: [
      { name: 'sluice -j16', command: [sluice, 'get', '-q', '-j', '16', '-i', list] },
      { name: 'aria2c -j16', command: [...aria2, '-j16', '-i', list] },
    ],
    close: () => origin.close(),
  }
}

const besideAll = 'aria2c -x16 -s16 -k1M'

function idealOf({ sluice }: Runs, seconds: number): number {
  return median(sluice.map((sample) => sample.wallSeconds)) / seconds
}

export const rows: Row[] = [
  {
    id: 'http',
    title: 'One file of 512 MiB over http',
    prepare: (scratch) => bulk(scratch, 'http'),
    judge: (runs) => [
      {
        work: 'http, one file of 512 MiB, loopback: wall',
        figures: [
          ratio('vs aria2c -x16 -k1M', runs.wallBeside(besideAll), 0.5, 0.35),
          ratio('vs curl', runs.wallBeside('curl'), 1, 0.8),
        ],
      },
      {
        work: 'same, CPU',
        figures: [
          ratio('vs aria2c', runs.cpuBeside(besideAll), 0.65, 0.45),
          ratio('vs curl', runs.cpuBeside('curl'), 1, 0.7),
        ],
      },
    ],
  },
  {
    id: 'https',
    title: 'One file of 512 MiB over https (ECDSA, TLS 1.3)',
    prepare: (scratch) => bulk(scratch, 'https'),
    judge: (runs) => [
      {
        work: 'https, one file of 512 MiB: wall',
        figures: [
          ratio('vs aria2c -x16 -k1M', runs.wallBeside(besideAll), 0.55, 0.4),
          ratio('vs curl', runs.wallBeside('curl'), 1, 0.8),
        ],
      },
    ],
  },
  {
    id: 'throttled',
    title: '256 MiB, each connection 4 MiB/s (ideal with 16: 4.0 s)',
    prepare: () => throttled(() => 4 * MiB, false),
    judge: (runs) => [
      {
        work: '16 connections of 4 MiB/s each: wall',
        figures: [
          ratio('vs ideal', idealOf(runs, 4), 1.2, 1.1),
          ratio('vs aria2c -x16 -k1M', runs.wallBeside(besideAll), 0.95, 0.8),
        ],
      },
    ],
  },
  {
    id: 'uneven',
    title: '256 MiB, every fourth connection 8 × slower than 4 MiB/s (ideal with 16: 5.1 s)',
    prepare: () => throttled((connection) => (connection % 4 === 0 ? MiB / 2 : 4 * MiB), true),
    judge: (runs) => [
      {
        work: 'a quarter of the connections 8 × slower: wall',
        figures: [
          ratio('vs aria2c -k1M', runs.wallBeside(besideAll), 0.8, 0.7),
          ratio('vs its default', runs.wallBeside('aria2c -x16 -s16'), 0.25, 0.17),
        ],
      },
    ],
  },
  {
    id: 'small-files',
    title: '1000 files of 20 KB, 16 at once, each a durable task',
    prepare: smallFiles,
    judge: (runs) => [
      {
        work: '1000 files of 20 KB, 16 at once, durable: wall',
        figures: [ratio('vs aria2c -j16', runs.wallBeside('aria2c -j16'), 0.5, 0.25)],
      },
    ],
  },
]
