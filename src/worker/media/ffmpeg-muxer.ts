/**
 * FFmpeg as a muxer: local files that we wrote and nothing else, no network, no console, its own process group.
 * The group's leader is a gate: FFmpeg itself runs only after the group was recorded in the attempt, so that there
 * never is an FFmpeg that nobody knows of, and the gate ends it when the worker has died, however that happened.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { stat, statfs } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { SluiceError } from '../../shared/errors.ts'
import { ffmpegArguments } from './ffmpeg-arguments.ts'
import type { MuxJob, Muxer } from './muxer.ts'
import { Stopped } from './mux-ends.ts'

/** The output may not outgrow its inputs by more: a broken index can make FFmpeg write for ever. */
const mostOverheadBytes = 64 << 20

/** With less room than this, FFmpeg's failure is taken for the disk's. */
const leastFreeBytes = 1 << 20

/** What FFmpeg needs of our environment, and nothing else. */
function environment(): Record<string, string> {
  const kept = ['PATH', 'SystemRoot', 'TEMP'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

/**
 * Waits for the word, then runs the program that it was given. Its standard input is the line to the worker: when
 * that ends (the system closes it with the worker, also by SIGKILL) the whole group is killed.
 */
const gate = `
read -r go || exit 1
exec 3<&0 </dev/null
"$@" 3<&- & work=$!
(read -r end <&3; kill -KILL 0) & watch=$!
wait "$work"; status=$?
kill -KILL "$watch"
exit "$status"
`

function start(ffmpeg: string, args: readonly string[]): ChildProcess {
  const options: SpawnOptions = { detached: true, env: environment(), stdio: ['pipe', 'pipe', 'pipe'] }
  // Windows has no such shell; there the record follows the start at once
  if (process.platform === 'win32') return spawn(ffmpeg, args, options)
  return spawn('/bin/sh', ['-c', gate, 'sh', ffmpeg, ...args], options)
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL')
  } catch {
    // it ended between the look and the signal
  }
}

/** The user's other programs come first; a system that refuses that is no reason not to mux. */
function stepBack(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // it ended meanwhile, or may not be changed
  }
}

/** One run of FFmpeg: its progress, its limits and its end. */
class FfmpegRun {
  readonly #child: ChildProcess
  readonly #job: MuxJob
  readonly #mostBytes: number
  #killedFor: Error | null = null
  #lastWords = ''
  #silence: NodeJS.Timeout | null = null
  /** figures of the last report that moved */
  #figures = ''

  constructor(child: ChildProcess, job: MuxJob, mostBytes: number) {
    this.#child = child
    this.#job = job
    this.#mostBytes = mostBytes
  }

  /** Resolves when FFmpeg has done its work; rejects as a muxer does. Started right after the process. */
  async end(): Promise<void> {
    const { signal } = this.#job.context
    const stop = () => this.#kill(new Stopped())
    signal.addEventListener('abort', stop, { once: true })
    this.#watchSilence()
    this.#readProgress()
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString()).slice(-500)
    })
    try {
      const [code] = (await once(this.#child, 'close')) as [number | null]
      if (this.#killedFor !== null) throw this.#killedFor
      if (code !== 0) throw await this.#failure(code)
    } catch (error) {
      if (this.#child.pid !== undefined) throw error
      throw new SluiceError('MUX_ERROR', 'FFmpeg could not be started', { cause: error })
    } finally {
      if (this.#silence !== null) clearTimeout(this.#silence)
      signal.removeEventListener('abort', stop)
    }
  }

  #kill(reason: Error): void {
    this.#killedFor ??= reason
    killGroup(this.#child)
  }

  /** FFmpeg goes on telling the same figures while it is stuck: only figures that move count. */
  #watchSilence(): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    this.#silence = setTimeout(() => {
      this.#kill(new SluiceError('STALLED', 'FFmpeg made no progress'))
    }, this.#job.context.limits().stallTimeoutMs)
  }

  #readProgress(): void {
    if (this.#child.stdout === null) return
    const { tracks, onProgress } = this.#job
    const length = Math.max(...tracks.map((track) => track.end)) - Math.min(...tracks.map((t) => t.start))
    let report = ''
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const [key, value] = line.split('=')
      const figure = Number(value)
      if (key === 'out_time_us' && figure >= 0) onProgress(Math.min(1, figure / 1e6 / length))
      if (key === 'total_size' && figure > this.#mostBytes) {
        this.#kill(new SluiceError('MUX_ERROR', 'FFmpeg wrote far more than it was given'))
      }
      if (key === 'out_time_us' || key === 'total_size') report += line
      if (key !== 'progress') return
      if (report !== this.#figures) this.#watchSilence()
      this.#figures = report
      report = ''
    })
  }

  /** FFmpeg tells a full disk only in prose; the disk itself tells it in figures. */
  async #failure(code: number | null): Promise<Error> {
    const { bavail, bsize } = await statfs(dirname(this.#job.to))
    if (bavail * bsize < leastFreeBytes) {
      return Object.assign(new Error('FFmpeg met a full disk'), { code: 'ENOSPC', errno: -28 })
    }
    return new SluiceError('MUX_ERROR', 'FFmpeg could not join the tracks', {
      details: { exitCode: code ?? -1 },
      cause: this.#lastWords,
    })
  }
}

/** Makes a muxer of an FFmpeg at an absolute path. */
export function ffmpegMuxer(ffmpeg: string): Muxer {
  return async (job) => {
    if (job.tracks.some((track) => track.demuxer === '')) {
      throw new SluiceError('MUX_ERROR', 'A track is of a format that FFmpeg is not given')
    }
    const sizes = await Promise.all(job.tracks.map(async (track) => (await stat(track.path)).size))
    const mostBytes = sizes.reduce((sum, size) => sum + size, 0) * 1.2 + mostOverheadBytes
    if (job.context.signal.aborted) throw new Stopped()
    const child = start(ffmpeg, ffmpegArguments(job))
    const ended = new FfmpegRun(child, job, mostBytes).end()
    if (child.pid !== undefined) {
      // a stop while the record is on its way ends the run, and with it the wait
      await Promise.race([job.context.recordChild(child.pid), ended])
      stepBack(child.pid)
      // a gate that was killed takes no word any more
      child.stdin?.on('error', () => null)
      child.stdin?.write('go\n')
    }
    await ended
  }
}
