/** The rows of the benchmark table: what is served, and who downloads it how. A peer is given its best settings. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startNginx, startThrottled } from './origin.ts'
import type { Contender } from './measure.ts'

export interface Setting {
  contenders: Contender[]
  /** the file every contender must have made, null when there are many */
  source: string | null
  close(): Promise<void>
}

export interface Row {
  id: string
  title: string
  /** the agreed targets, in words */
  targets: string
  prepare(scratch: string): Promise<Setting>
}

const sluice = join(import.meta.dirname, '../bin/sluice')
const MiB = 1 << 20

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
  return {
    source,
    contenders: [
      { name: 'sluice', command: [sluice, 'get', '-q', url], env: trusted },
      { name: 'curl', command: ['curl', '-sS', '--cacert', origin.certificate, '-O', url] },
      {
        name: 'aria2c -x16 -s16 -k1M',
        command: ['aria2c', '-q', '-x16', '-s16', '-k1M', '--file-allocation=none'].concat([
          `--ca-certificate=${origin.certificate}`,
          '--no-conf',
          url,
        ]),
      },
    ],
    close: () => origin.close(),
  }
}

async function throttled(rateOf: (connection: number) => number, withDefault: boolean): Promise<Setting> {
  const origin = await startThrottled(256 * MiB, rateOf)
  const aria2 = ['aria2c', '-q', '-x16', '-s16', '--file-allocation=none', '--no-conf']
  return {
    source: null,
    contenders: [
      { name: 'sluice', command: [sluice, 'get', '-q', '-x', '16', origin.url] },
      { name: 'aria2c -x16 -s16 -k1M', command: [...aria2, '-k1M', origin.url] },
      ...(withDefault ? [{ name: 'aria2c -x16 -s16', command: [...aria2, origin.url] }] : []),
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
    source: null,
    contenders: [
      { name: 'sluice', command: [sluice, 'get', '-q', '-j', '16', '-i', list] },
      {
        name: 'aria2c -j16',
        command: ['aria2c', '-q', '-j16', '--file-allocation=none', '--no-conf', '-i', list],
      },
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
