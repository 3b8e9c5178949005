/**
 * `npm run bench [-- row …]`: Sluice beside the peers that are installed, in one run on one machine. Prints and
 * writes docs/benchmarks.md. Never a pass or fail: figures are read by people.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem, type as osType, release } from 'node:os'
import { join } from 'node:path'
import { comparison } from './compare.ts'
import { rows } from './rows.ts'
import { stopBench } from './stop.ts'
import { summaryOf } from './targets.ts'
import type { Bench, Section } from './targets.ts'
import { workerBench } from './worker.ts'

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

const benches: Bench[] = [...rows.map(comparison), workerBench, stopBench]

async function main(): Promise<void> {
  const load = loadavg()[0] ?? 0
  const wanted = process.argv.slice(2)
  const chosen = benches.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
  if (chosen.length === 0) throw new Error(`Rows are: ${benches.map(({ id }) => id).join(', ')}`)
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  const sections: Section[] = []
  try {
    for (const bench of chosen) {
      const folder = join(scratch, bench.id)
      await mkdir(folder)
      sections.push(await bench.run(folder, rounds))
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
    '## Targets',
    '',
    summaryOf(sections.flatMap(({ targets }) => targets)),
    ...sections.map(({ text }) => text),
  ].join('\n')
  process.stdout.write(`\n${page}`)
  if (wanted.length === 0) await writeFile(join(project, 'docs/benchmarks.md'), page)
}

await main()
