/** A row of the benchmark in which contenders download the same thing in turns. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { measure, median, medianRatio } from './measure.ts'
import type { Contender, Sample } from './measure.ts'
import type { Bench, Target } from './targets.ts'

export interface Setting {
  contenders: Contender[]
  /** read once before every run, so that the page cache and not a cold disk serves it */
  sources: readonly string[]
  /**
   * Whether what was downloaded stays until the row is through. File systems give an inode out again only minutes after
   * it became free, and look at each such one whenever somebody needs another: whoever comes after a thousand deletions
   * pays for them, and the one after that for two thousand.
   */
  keepsOutputs: boolean
  /** Throws unless the folder holds exactly what was to be downloaded, byte by byte. */
  check(folder: string): void
  close(): Promise<void>
}

/** What the runs of a row gave, by the name of the contender; Sluice is the first. */
export class Runs {
  readonly samples: ReadonlyMap<string, readonly Sample[]>

  constructor(samples: ReadonlyMap<string, readonly Sample[]>) {
    this.samples = samples
  }

  get sluice(): readonly Sample[] {
    const [sluice = []] = this.samples.values()
    return sluice
  }

  /** Sluice's wall time divided by that of a contender, NaN when that one is not installed. */
  wallBeside(name: string): number {
    return medianRatio(this.sluice, this.samples.get(name) ?? [], (sample) => sample.wallSeconds)
  }

  /** The same of CPU time. */
  cpuBeside(name: string): number {
    return medianRatio(this.sluice, this.samples.get(name) ?? [], (sample) => sample.cpuSeconds)
  }
}

export interface Row {
  id: string
  title: string
  prepare(scratch: string): Promise<Setting>
  /** what was agreed, beside what was measured */
  judge(runs: Runs): Target[]
}

/** Reads a file once, so that the page cache and not a cold disk serves it. */
async function preTouch(path: string): Promise<void> {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 }).resume()
  await once(stream, 'close')
}

const touchedBytes = 768 << 20

/**
 * Uses the memory once that the next run's file will lie in. What a virtual machine has not used lately its host has
 * taken back, and getting it again is several times the work of a download; whoever writes in large pieces pays for
 * it, since free memory in large pieces is what goes back. The file is gone before anything of it is on the disk.
 */
async function preTouchMemory(folder: string): Promise<void> {
  const path = join(folder, 'touched')
  const file = await open(path, 'wx')
  const piece = Buffer.alloc(1 << 20)
  for (let at = 0; at < touchedBytes; at += piece.length) await file.write(piece, 0, piece.length, at)
  await file.close()
  await unlink(path)
}

async function runRow(row: Row, scratch: string, rounds: number): Promise<Runs> {
  const setting = await row.prepare(scratch)
  const { contenders } = setting
  const samples = new Map(contenders.map((contender): [string, Sample[]] => [contender.name, []]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contender of contenders) {
        for (const source of setting.sources) await preTouch(source)
        await preTouchMemory(scratch)
        const folder = await mkdtemp(join(scratch, 'run-'))
        const sample = await measure(contender, folder)
        setting.check(folder)
        if (!setting.keepsOutputs) await rm(folder, { recursive: true })
        samples.get(contender.name)?.push(sample)
        process.stdout.write(`${row.id} ${round + 1}/${rounds} ${contender.name}: ${sample.wallSeconds} s\n`)
      }
    }
  } finally {
    await setting.close()
  }
  return new Runs(samples)
}

function tableOf(title: string, { samples, sluice }: Runs): string {
  const lines = [...samples].map(([name, own]) => {
    const walls = own.map((sample) => sample.wallSeconds)
    const figures = [
      `${median(walls).toFixed(2)} [${Math.min(...walls).toFixed(2)}–${Math.max(...walls).toFixed(2)}]`,
      median(own.map((sample) => sample.cpuSeconds)).toFixed(2),
      (Math.max(...own.map((sample) => sample.peakRssBytes)) / 1e6).toFixed(0),
      medianRatio(sluice, own, (sample) => sample.wallSeconds).toFixed(2),
      medianRatio(sluice, own, (sample) => sample.cpuSeconds).toFixed(2),
    ]
    return `| ${name} | ${figures.join(' | ')} |`
  })
  return [
    `## ${title}`,
    '',
    '| | wall s, median [min–max] | CPU s | peak MB, one process | sluice’s wall ÷ this | sluice’s CPU ÷ this |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

/** The row as something to run. */
export function comparison(row: Row): Bench {
  return {
    id: row.id,
    run: async (scratch, rounds) => {
      const runs = await runRow(row, scratch, rounds)
      return { text: tableOf(row.title, runs), targets: row.judge(runs) }
    },
  }
}
