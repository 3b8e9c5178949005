/** Runs the real command line as a process, in a folder of its own. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launcher } from '../built-program.ts'

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  /** lines on standard error, without Node's own warnings */
  errors: string[]
}

export interface Running {
  /** its pid is its process group, with the workers in it */
  process: ChildProcess
  stdout(): string
  /** Resolves when this was said on standard error; rejects when it ends without. */
  told(text: string): Promise<void>
  ended: Promise<Ended>
}

export interface RunOptions {
  cwd: string
  env?: Record<string, string>
  input?: string
}

/** Starts `sluice` as the leader of a process group, as a shell does. */
export function startSluice(args: readonly string[], options: RunOptions): Running {
  const child = spawn(process.execPath, [launcher, ...args], {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '', ...options.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdin.on('error', () => null)
  child.stdin.end(options.input ?? '')
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    // what `close` tells: the exit code or the signal
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    errors: stderr.split('\n').filter((line) => line !== ''),
  }))
  const told = async (text: string) => {
    while (!stderr.includes(text)) {
      if (child.exitCode !== null) throw new Error(`it ended without saying "${text}": ${stderr}`)
      await Promise.race([once(child.stderr, 'data'), ended])
    }
  }
  return { process: child, stdout: () => stdout, told, ended }
}

export function runSluice(args: readonly string[], options: RunOptions): Promise<Ended> {
  return startSluice(args, options).ended
}

/** Sends a signal to the whole process group, as a terminal does with Ctrl+C. */
export function signalGroup(running: Running, signal: NodeJS.Signals): void {
  const { pid } = running.process
  if (pid === undefined) throw new Error('the process was not started')
  process.kill(-pid, signal)
}

/** A temporary folder that goes with the test. */
export async function temporaryFolder(): Promise<{ path: string; [Symbol.asyncDispose](): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Every entry of a folder, hidden ones too, in order. */
export async function entriesOf(folder: string): Promise<string[]> {
  return (await readdir(folder)).toSorted()
}
