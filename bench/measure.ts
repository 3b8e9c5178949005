/**
 * Running commands side by side: they take turns (A B C A B C …), so that a slow minute of the machine hits
 * all of them, and what is compared is the median of the ratios within a round, not of absolute times.
 */
import { spawn } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'

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

interface ProcessFacts {
  parent: number
  rssBytes: number
}

/** Parent and peak resident set of every process, from /proc; empty where there is none. */
async function processTable(): Promise<Map<number, ProcessFacts>> {
  const table = new Map<number, ProcessFacts>()
  const entries = await readdir('/proc').catch(() => [])
  for (const entry of entries) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    // a process may end between the listing and the reading
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '')
    const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1]
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
    if (parent !== undefined) table.set(pid, { parent: Number(parent), rssBytes: Number(peak ?? 0) * 1024 })
  }
  return table
}

/** Largest VmHWM among the descendants of a process. */
async function peakOfTree(root: number): Promise<number> {
  const table = await processTable()
  const inTree = (pid: number): boolean => {
    const facts = table.get(pid)
    if (facts === undefined) return false
    return facts.parent === root || inTree(facts.parent)
  }
  return Math.max(0, ...[...table].filter(([pid]) => inTree(pid)).map(([, facts]) => facts.rssBytes))
}

/** Runs one command to its end and measures it. Rejects when it does not exit with 0. */
export async function measure(contender: Contender, folder: string): Promise<Sample> {
  // bash's own `time` reports what the kernel accounted to the command and all its waited-for children
  const script = `TIMEFORMAT='sluice-bench %R %U %S'; time "$@"`
  const child = spawn('bash', ['-c', script, 'bash', ...contender.command], {
    cwd: folder,
    env: { ...process.env, ...contender.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  let peakRssBytes = 0
  const pid = child.pid
  const watcher = setInterval(() => {
    if (pid === undefined) return
    void peakOfTree(pid).then((bytes) => (peakRssBytes = Math.max(peakRssBytes, bytes)))
  }, 150)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearInterval(watcher)
  const times = /sluice-bench ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr)
  if (code !== 0 || times === null) {
    throw new Error(`${contender.name} ended with ${String(code)}: ${stderr.slice(-2000)}`)
  }
  return {
    wallSeconds: Number(times[1]),
    cpuSeconds: Number(times[2]) + Number(times[3]),
    peakRssBytes,
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
