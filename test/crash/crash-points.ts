/**
 * Kills a program at exactly its n-th call of one kind (strace's fault injection), so that the moments of a crash are
 * enumerated and not sampled. Counted per thread: good for work that happens in one.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

const strace = 'strace'

/** Calls that change what a crash leaves behind. */
export const pointsOfFiles = ['rename', 'unlink', 'fsync', 'pwrite64', 'ftruncate'] as const
export type CrashPoint = (typeof pointsOfFiles)[number]

/** Runs the Node program; `survived` when it makes fewer than `nth` such calls. */
export async function killAt(
  point: CrashPoint,
  nth: number,
  program: string,
  args: readonly string[],
): Promise<'killed' | 'survived'> {
  // not with --seccomp-bpf, which would be faster: under it (measured with 6.1) only `when=1` ever strikes
  const inject = `inject=${point}:signal=SIGKILL:when=${nth}`
  const options = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${point}`, '-e', inject]
  const child = spawn(strace, [...options, process.execPath, program, ...args], { stdio: 'ignore' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  if (signal === 'SIGKILL' || code === 128 + 9) return 'killed'
  if (code === 0) return 'survived'
  throw new Error(`the program ended with ${code ?? signal ?? 'nothing'} at ${point} ${nth}`)
}

/** Why no crash points can be enumerated here, or null when they can. */
export function whyNoCrashPoints(): string | null {
  if (process.platform !== 'linux') return 'crash points need Linux'
  const probe = spawnSync(strace, ['-f', '-qq', '-e', 'trace=fsync', 'true'], {
    encoding: 'utf8',
  })
  if (probe.status === 0) return null
  return `crash points need strace: ${probe.error?.message ?? probe.stderr}`
}

/**
 * The calls to kill at, until one survives: all of them with `SLUICE_CRASH_POINTS=all`, else a sample that is dense at
 * the beginning (1, 3, 9, 27 …).
 */
export function* pointNumbers(): Generator<number> {
  const all = process.env['SLUICE_CRASH_POINTS'] === 'all'
  for (let nth = 1; ; nth = all ? nth + 1 : nth * 3) yield nth
}
