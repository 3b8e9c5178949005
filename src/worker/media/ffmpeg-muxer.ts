/**
 * FFmpeg as a muxer: local files that we wrote and nothing else, no network, no console, its own process group.
 * It is started behind a gate: the group is recorded in the attempt before FFmpeg itself runs, so that there
 * never is an FFmpeg that nobody knows of.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { stat, statfs } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { SluiceError } from '../../shared/errors.ts'
import type { Container, MuxJob, Muxer } from './muxer.ts'
import { Stopped } from './muxer.ts'

const muxers: Record<Container, string> = { mp4: 'mp4', webm: 'webm', mkv: 'matroska' }

/** The output may not outgrow its inputs by more: a broken index can make FFmpeg write for ever. */
const mostOverheadBytes = 64 << 20

/** With less room than this, FFmpeg's failure is taken for the disk's. */
const leastFreeBytes = 1 << 20

function argumentsFor(job: MuxJob): string[] {
  const inputs = job.tracks.flatMap((open) => ['-f', open.demuxer, '-i', `file:${open.path}`])
  const maps = job.tracks.flatMap((open, index) => [
    '-map',
    `${index}:${open.kind === 'video' ? 'v' : 'a'}:0`,
  ])
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe'],
    ...inputs,
    ...maps,
    ...['-c', 'copy', '-map_metadata', '-1', '-progress', 'pipe:1', '-stats_period', '0.25'],
    ...['-f', muxers[job.container], '-n', `file:${job.to}`],
  ]
}

/** What FFmpeg needs of our environment, and nothing else. */
function environment(): Record<string, string> {
  const kept = ['PATH', 'SystemRoot', 'TEMP'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

function start(ffmpeg: string, args: readonly string[]): ChildProcess {
  const options: SpawnOptions = { detached: true, env: environment(), stdio: ['pipe', 'pipe', 'pipe'] }
  // Windows has no shell to hold the gate; there the record follows the start at once
  if (process.platform === 'win32') return spawn(ffmpeg, args, options)
  return spawn('/bin/sh', ['-c', 'read -r go && exec "$@"', 'sh', ffmpeg, ...args], options)
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // it ended between the look and the signal
  }
}

/** Calls `onSilence` when nothing was heard for `ms`; each call of the returned function counts as a sound. */
function watchSilence(ms: number, onSilence: () => void): { heard: () => void; end: () => void } {
  let timer = setTimeout(onSilence, ms)
  return {
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(onSilence, ms)
    },
    end: () => clearTimeout(timer),
  }
}

/** Runs FFmpeg to its end; the reason of a kill by us is what it rejects with. */
async function run(child: ChildProcess, job: MuxJob, mostBytes: number): Promise<void> {
  const end = Math.max(...job.tracks.map((open) => open.duration))
  let killedFor: Error | null = null
  let lastWords = ''
  const kill = (reason: Error) => {
    killedFor ??= reason
    killGroup(child)
  }
  const stop = () => kill(new Stopped())
  const silence = watchSilence(job.context.limits().stallTimeoutMs, () =>
    kill(new SluiceError('STALLED', 'FFmpeg made no progress')),
  )
  job.context.signal.addEventListener('abort', stop, { once: true })
  child.stdout?.on('data', (chunk: Buffer) => {
    silence.heard()
    const text = chunk.toString('latin1')
    const micros = /out_time_us=(\d+)/.exec(text)?.[1]
    const bytes = /total_size=(\d+)/.exec(text)?.[1]
    if (micros !== undefined) job.onProgress(Math.min(1, Number(micros) / 1e6 / end))
    if (bytes !== undefined && Number(bytes) > mostBytes) {
      kill(new SluiceError('MUX_ERROR', 'FFmpeg wrote far more than it was given'))
    }
  })
  child.stderr?.on('data', (chunk: Buffer) => (lastWords = (lastWords + chunk.toString()).slice(-500)))
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    if (killedFor !== null) throw killedFor as Error
    if (code === 0) return
    // FFmpeg tells a full disk only in prose; the disk itself tells it in figures
    const { bavail, bsize } = await statfs(dirname(job.to))
    if (bavail * bsize < leastFreeBytes) {
      throw Object.assign(new Error('FFmpeg met a full disk'), { code: 'ENOSPC', errno: -28 })
    }
    throw new SluiceError('MUX_ERROR', 'FFmpeg could not join the tracks', {
      details: { exitCode: code ?? -1 },
      cause: lastWords,
    })
  } finally {
    silence.end()
    job.context.signal.removeEventListener('abort', stop)
  }
}

/** Makes a muxer of an FFmpeg at an absolute path. */
export function ffmpegMuxer(ffmpeg: string): Muxer {
  return async (job) => {
    if (job.tracks.some((open) => open.demuxer === '')) {
      throw new SluiceError('MUX_ERROR', 'A track is of a format that FFmpeg is not given')
    }
    const sizes = await Promise.all(job.tracks.map(async (open) => (await stat(open.path)).size))
    const mostBytes = sizes.reduce((sum, size) => sum + size, 0) * 1.2 + mostOverheadBytes
    const child = start(ffmpeg, argumentsFor(job))
    const failed = once(child, 'error').then(([error]) => {
      throw new SluiceError('MUX_ERROR', 'FFmpeg could not be started', { cause: error })
    })
    const done = run(child, job, mostBytes)
    // whichever loses the race is still awaited by nobody: its rejection must not end the worker
    failed.catch(() => null)
    done.catch(() => null)
    if (child.pid !== undefined) {
      await job.context.recordChild(child.pid)
      if (process.platform !== 'win32') setPriority(child.pid, 10)
      child.stdin?.on('error', () => null)
      child.stdin?.end('go\n')
    }
    await Promise.race([done, failed])
  }
}
