/**
 * `node bench/mux.ts [mp4|mkv]`: joining 500 MB of tracks, Sluice's worker beside `ffmpeg -c copy`, in turns. A
 * worker is timed from the order to its outcome, as a task meets it: it runs already, and verifies and syncs what
 * FFmpeg alone does not; so FFmpeg followed by a sync of its output is shown too.
 */
import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entryPoint } from '../src/adapters/entry-point.ts'
import { findFfmpeg } from '../src/adapters/ffmpeg.ts'
import { forkLauncher } from '../src/adapters/workers/launcher.ts'
import { SupervisedWorkerPool } from '../src/adapters/workers/supervised-worker-pool.ts'
import { leaseWorker } from '../test/processes/leased-worker.ts'
import { muxOrder } from '../test/processes/mux-order.ts'
import { measure, median, medianRatio } from './measure.ts'
import type { Sample } from './measure.ts'
import { makeMuxMedia } from './mux-media.ts'
import type { MuxMedia } from './mux-media.ts'

const rounds = Number(process.env['SLUICE_BENCH_ROUNDS'] ?? 5)
const container = process.argv[2] === 'mkv' ? 'mkv' : 'mp4'

interface Run {
  media: MuxMedia
  folder: string
  ffmpeg: string
}

type Contender = (run: Run) => Promise<Sample & { output: string }>

/** CPU seconds of a process (user and system, its ended children included) and its peak memory, from /proc. */
async function usageOf(pid: number): Promise<{ cpuSeconds: number; peakRssBytes: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // utime, stime, cutime, cstime: fields 14 to 17 of proc(5), in hundredths of a second
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  return { cpuSeconds: ticks / 100, peakRssBytes: Number(peak ?? 0) * 1024 }
}

function plainFfmpeg(syncs: boolean): Contender {
  return async ({ media, folder, ffmpeg }) => {
    const output = join(folder, `plain.${container}`)
    const quiet = [ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error']
    const copy = ['-i', media.video, '-i', media.audio, '-map', '0:v', '-map', '1:a', '-c', 'copy', output]
    const command = ['sh', '-c', syncs ? '"$@" && sync "$0"' : '"$@"', output, ...quiet, ...copy]
    return { ...(await measure({ name: 'ffmpeg', command }, folder)), output }
  }
}

/** @param muxer which of the two a worker is to use */
function sluice(muxer: 'embedded' | 'FFmpeg'): Contender {
  return async ({ media, folder, ffmpeg }) => {
    const working = join(folder, 'working')
    await mkdir(working)
    await link(media.video, join(working, 'video'))
    await link(media.audio, join(working, 'audio'))
    const output = join(folder, `sluice.${container}`)
    const pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }))
    const order = { workingFolder: working, publishTo: output, container } as const
    try {
      // a mux of nothing: afterwards the worker has loaded its code and waits
      const first = await leaseWorker(pool)
      first.lease.send(muxOrder({ ...order, token: 1, workingFolder: folder, ffmpegPath: null }))
      await first.until('outcome')
      first.lease.release()
      await first.end
      const leased = await leaseWorker(pool, output)
      const before = await usageOf(leased.lease.pid)
      const start = performance.now()
      const ffmpegPath = muxer === 'FFmpeg' ? ffmpeg : null
      leased.lease.send(muxOrder({ ...order, token: 2, ffmpegPath }))
      const { outcome } = await leased.until('outcome')
      const wallSeconds = (performance.now() - start) / 1000
      if (outcome.kind !== 'completed') throw new Error(JSON.stringify(outcome))
      const after = await usageOf(leased.lease.pid)
      const cpuSeconds = after.cpuSeconds - before.cpuSeconds
      return { wallSeconds, cpuSeconds, peakRssBytes: after.peakRssBytes, output }
    } finally {
      await pool.close()
    }
  }
}

const contenders = new Map<string, Contender>([
  ['ffmpeg -c copy', plainFfmpeg(false)],
  ['ffmpeg -c copy, then sync', plainFfmpeg(true)],
  ['sluice, FFmpeg', sluice('FFmpeg')],
  ['sluice, embedded', sluice('embedded')],
])

/** What the packets of both streams amount to, whatever the container does around them. */
function streamHash(path: string): string {
  return execFileSync('ffmpeg', [
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  ])
    .toString()
    .trim()
}

function tableOf(samples: ReadonlyMap<string, readonly Sample[]>): string {
  const base = samples.get('ffmpeg -c copy') ?? []
  const lines = [...samples].map(([name, own]) => {
    const walls = own.map((sample) => sample.wallSeconds)
    const cpu = median(own.map((sample) => sample.cpuSeconds))
    const peak = Math.max(...own.map((sample) => sample.peakRssBytes)) / 1e6
    const figures = [
      `${median(walls).toFixed(2)} [${Math.min(...walls).toFixed(2)}–${Math.max(...walls).toFixed(2)}]`,
      cpu.toFixed(2),
      peak.toFixed(0),
      medianRatio(own, base, (sample) => sample.wallSeconds).toFixed(2),
      medianRatio(own, base, (sample) => sample.cpuSeconds).toFixed(2),
    ]
    return `| ${name} | ${figures.join(' | ')} |`
  })
  return [
    `## Muxing 500 MB into ${container}`,
    '',
    'Targets: with FFmpeg ≤ 1.1 × `ffmpeg -c copy`; embedded ≤ 3 ×, worker ≤ 250 MB.',
    '',
    '| | wall s, median [min–max] | CPU s | peak MB, one process | wall ÷ `ffmpeg -c copy` | CPU ÷ the same |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

async function main(): Promise<void> {
  const ffmpeg = (await findFfmpeg(''))?.path
  if (ffmpeg === undefined) throw new Error('FFmpeg is the peer of this benchmark and is not installed')
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-bench-mux-'))
  const samples = new Map([...contenders.keys()].map((name): [string, Sample[]] => [name, []]))
  try {
    const media = await makeMuxMedia(scratch)
    const hashes = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      for (const [name, contend] of contenders) {
        const folder = await mkdtemp(join(scratch, 'run-'))
        const { output, ...sample } = await contend({ media, folder, ffmpeg })
        if (round === 0) hashes.add(streamHash(output))
        await rm(folder, { recursive: true })
        samples.get(name)?.push(sample)
        process.stdout.write(`${round + 1}/${rounds} ${name}: ${sample.wallSeconds.toFixed(2)} s\n`)
      }
    }
    if (hashes.size !== 1) throw new Error('The results do not hold the same packets')
    process.stdout.write(`\n${tableOf(samples)}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

await main()
