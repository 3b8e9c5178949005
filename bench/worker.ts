/** What a worker takes and how quickly it answers: at full rate, and with sixteen connections at work. */
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { measure, median } from './measure.ts'
import { startNginx, startThrottled } from './origin.ts'
import { MiB, makeFile, sluice } from './rows.ts'
import type { Bench } from './targets.ts'
import type { WorkerFigures } from './worker-probe.ts'

/** Runs `sluice get` with the probe in its workers; answers the worst figure of any of them. */
async function probed(scratch: string, args: readonly string[]): Promise<WorkerFigures> {
  const [folder, reports] = [await mkdtemp(join(scratch, 'run-')), await mkdtemp(join(scratch, 'probe-'))]
  const probe = pathToFileURL(join(import.meta.dirname, 'worker-probe.ts')).href
  await measure(
    {
      name: 'sluice',
      command: [sluice, 'get', '-q', ...args],
      env: { NODE_OPTIONS: `--import=${probe}`, SLUICE_BENCH_PROBE: reports },
    },
    folder,
  )
  const figures: WorkerFigures[] = []
  for (const name of await readdir(reports)) {
    figures.push(JSON.parse(await readFile(join(reports, name), 'utf8')) as WorkerFigures)
  }
  if (figures.length === 0) throw new Error('no worker told its figures')
  await rm(folder, { recursive: true })
  const worst = (figure: (worker: WorkerFigures) => number) => Math.max(...figures.map(figure))
  return {
    peakRssBytes: worst((worker) => worker.peakRssBytes),
    delayP99Ms: worst((worker) => worker.delayP99Ms),
    delayMaxMs: worst((worker) => worker.delayMaxMs),
  }
}

async function atFullRate(scratch: string, rounds: number): Promise<WorkerFigures[]> {
  const root = join(scratch, 'root')
  await mkdir(root)
  const names = ['one.bin', 'two.bin']
  for (const name of names) makeFile(join(root, name), 512 * MiB)
  const origin = await startNginx(root, join(scratch, 'nginx'))
  const links = names.map((name) => `${origin.http}/${name}`)
  const runs: WorkerFigures[] = []
  try {
    for (let round = 0; round < rounds; round++) runs.push(await probed(scratch, ['-j', '1', ...links]))
  } finally {
    await origin.close()
  }
  return runs
}

async function withSixteen(scratch: string, rounds: number): Promise<WorkerFigures[]> {
  const origin = await startThrottled(512 * MiB, () => 16 * MiB)
  const runs: WorkerFigures[] = []
  try {
    for (let round = 0; round < rounds; round++) runs.push(await probed(scratch, ['-x', '16', origin.url]))
  } finally {
    await origin.close()
  }
  return runs
}

function lineOf(name: string, runs: readonly WorkerFigures[]): string {
  const peak = Math.max(...runs.map(({ peakRssBytes }) => peakRssBytes))
  const p99 = runs.map(({ delayP99Ms }) => delayP99Ms)
  const max = Math.max(...runs.map(({ delayMaxMs }) => delayMaxMs))
  const range = `${median(p99).toFixed(1)} [${Math.min(...p99).toFixed(1)}–${Math.max(...p99).toFixed(1)}]`
  return `| ${name} | ${(peak / 1e6).toFixed(0)} | ${range} | ${max.toFixed(0)} |`
}

export const workerBench: Bench = {
  id: 'worker',
  run: async (scratch, rounds) => {
    const fullRate = await atFullRate(scratch, rounds)
    const sixteen = await withSixteen(scratch, rounds)
    const peak = Math.max(...sixteen.map(({ peakRssBytes }) => peakRssBytes)) / 1e6
    const p99 = median(fullRate.map(({ delayP99Ms }) => delayP99Ms))
    return {
      text: [
        '## The worker process',
        '',
        'Event-loop delay as the worker itself sees it with a timer of 1 ms, over its whole life, its start included.',
        '',
        '| | peak MB | delay p99 ms, median [min–max] | longest ms |',
        '|---|---|---|---|',
        lineOf('2 files of 512 MiB over http, as fast as they come', fullRate),
        lineOf('512 MiB over 16 connections of 16 MiB/s each', sixteen),
        '',
      ].join('\n'),
      targets: [
        {
          work: 'worker memory at 16 connections',
          figures: [{ name: '', value: peak, bound: 100, stretch: 75, decimals: 0, unit: ' MB' }],
        },
        {
          work: 'worker event-loop delay p99 at full rate',
          figures: [{ name: '', value: p99, bound: 20, stretch: 10, decimals: 1, unit: ' ms' }],
        },
      ],
    }
  },
}
