/**
 * Running commands side by side: they take turns (A B C A B C …), so that a slow minute of the machine hits
 * all of them, and what is compared is the median of the ratios within a round, not of absolute times.
 */
import { spawn } from 'node:child_process'

export interface Contender {
  name: string
  /** argv; run in an empty folder of its own */
  command: readonly string[]
  env?: Record<string, string>
}

export interface Sample {
  wallSeconds: number
  /** user + system, children included */
  cpuSeconds: number
  /** largest resident set of a single process, bytes */
  peakRssBytes: number
}

/**
 * Runs one command to its end and measures it. Rejects when it does not exit with 0. Nothing watches it meanwhile: what
 * a watcher of processes takes of two processors is up to a fifth of what a contender does, and hits those most that are
 * several processes.
 */
export async function measure(contender: Contender, folder: string): Promise<Sample> {
  // bash says to the millisecond what the kernel accounted to the command and all its waited-for children, GNU time
  // how large the largest of them became
  const script = `TIMEFORMAT='sluice-bench %R %U %S'; time env time -f 'sluice-peak %M' "$@"`
  const child = spawn('bash', ['-c', script, 'bash', ...contender.command], {
    cwd: folder,
    env: { ...process.env, ...contender.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const times = /sluice-bench ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr)
  const peak = /sluice-peak (\d+)/.exec(stderr)
  if (code !== 0 || times === null || peak === null) {
    throw new Error(`${contender.name} ended with ${String(code)}: ${stderr.slice(-2000)}`)
  }
  return {
    wallSeconds: Number(times[1]),
    cpuSeconds: Number(times[2]) + Number(times[3]),
    peakRssBytes: Number(peak[1]) * 1024,
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/**
 * Median over rounds of a figure of one contender divided by the same figure of another in that round; NaN when the
 * other did not run.
 */
export function medianRatio(
  samples: readonly Sample[],
  base: readonly Sample[],
  figure: (sample: Sample) => number,
): number {
  return median(base.flatMap((other, round) => figure(samples[round] ?? other) / figure(other)))
}
