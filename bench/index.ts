/**
 * `npm run bench [-- row …]`: Sluice beside the peers that are installed, in one run on one machine. Prints and
 * writes docs/benchmarks.md. Never a pass or fail: figures are read by people.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem, type as osType, release } from 'node:os'
import { join } from 'node:path'
import { median, measure, medianRatio } from './measure.ts'
import type { Sample } from './measure.ts'
import { rows } from './rows.ts'
import type { Row } from './rows.ts'

const project = join(import.meta.dirname, '..')
const rounds = Number(process.env['SLUICE_BENCH_ROUNDS'] ?? 5)

/** First line that a program says of its version, or null when it is not installed. */
function versionOf(command: string, args: readonly string[]): string | null {
  try {
    return (
      execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
        .toString()
        .split('\n')[0] ?? ''
    )
  } catch {
    return null
  }
}

/** Reads a file once, so that the page cache and not a cold disk serves it. */
async function preTouch(path: string): Promise<void> {
  const stream = createReadStream(path, { highWaterMark: 1 << 20 }).resume()
  await once(stream, 'close')
}

interface Result {
  row: Row
  samples: Map<string, Sample[]>
}

async function runRow(row: Row, scratch: string): Promise<Result> {
  const setting = await row.prepare(scratch)
  const { contenders } = setting
  const samples = new Map(contenders.map((contender): [string, Sample[]] => [contender.name, []]))
  try {
    for (let round = 0; round < rounds; round++) {
      for (const contender of contenders) {
        for (const source of setting.sources) await preTouch(source)
        const folder = await mkdtemp(join(scratch, 'run-'))
        const sample = await measure(contender, folder)
        setting.check(folder)
        await rm(folder, { recursive: true })
        samples.get(contender.name)?.push(sample)
        process.stdout.write(`${row.id} ${round + 1}/${rounds} ${contender.name}: ${sample.wallSeconds} s\n`)
      }
    }
  } finally {
    await setting.close()
  }
  return { row, samples }
}

function tableOf({ row, samples }: Result): string {
  const [sluice = []] = samples.values()
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
    `## ${row.title}`,
    '',
    row.targets,
    '',
    '| | wall s, median [min–max] | CPU s | peak MB, one process | sluice’s wall ÷ this | sluice’s CPU ÷ this |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const load = loadavg()[0] ?? 0
  const wanted = process.argv.slice(2)
  const chosen = rows.filter((row) => wanted.length === 0 || wanted.includes(row.id))
  if (chosen.length === 0) throw new Error(`Rows are: ${rows.map((row) => row.id).join(', ')}`)
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const results: Result[] = []
  try {
    for (const row of chosen) {
      const folder = join(scratch, row.id)
      await mkdir(folder)
      results.push(await runRow(row, folder))
      await rm(folder, { recursive: true })
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const versions = [
    `Node ${process.version}`,
    versionOf('curl', ['--version'])?.split(' (')[0] ?? null,
    versionOf('aria2c', ['--version']),
    versionOf('nginx', ['-v']) === null ? null : 'nginx',
  ].filter((version) => version !== null)
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${osType()} ${release()}`
  const sluice = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as { version: string }
  const page = [
    '# Benchmarks',
    '',
    `Sluice ${sluice.version} beside its peers on one machine, over loopback; commands take turns, ${rounds} rounds, whole processes with their start-up. Ratios are medians over rounds; below 1 Sluice is faster or cheaper. Written by \`npm run bench\`.`,
    '',
    `Machine: ${machine}; load before the first run ${load.toFixed(1)} (figures of a busy machine are worth little). ${versions.join('; ')}.`,
    '',
    ...results.map(tableOf),
  ].join('\n')
  process.stdout.write(`\n${page}`)
  if (wanted.length === 0) await writeFile(join(project, 'docs/benchmarks.md'), page)
}

await main()
