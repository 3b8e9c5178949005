/**
 * Starting worker processes: `fork` here, `utilityProcess` in Electron's main. The pool above knows neither.
 */
import { fork } from 'node:child_process'
import type { Serializable } from 'node:child_process'

export interface LaunchedWorker {
  readonly pid: number
  /** A message to a process that is gone is dropped: its exit is told by `onExit`. */
  send(message: Serializable): void
  onMessage(listener: (message: unknown) => void): void
  /** Told once, also when the process could not be started properly. */
  onExit(listener: (code: number | null, signal: string | null) => void): void
  /** Ends the process at once (SIGKILL); idempotent. */
  kill(): void
  /** Asks an idle process to go by itself, by closing its channel. */
  dismiss(): void
}

export interface WorkerLauncher {
  /** Rejects when no process can be started. */
  launch: () => Promise<LaunchedWorker>
}

/**
 * What V8 is told for a worker. It doubles the space for young objects up to 96 MB while some outlive their collection,
 * which with many connections some always do, and gives nothing back: a download of 50 GiB took a worker to 220 MB.
 * Slabs lie outside of the heap, so little is in it that a small space would make V8 look at more often.
 */
export const workerFlags: readonly string[] = ['--max-semi-space-size=4']

/**
 * Workers as forked Node processes. `entry` is the worker's program (`entryPoint('worker')`). `onOutput` is told what
 * they write, errors traced, in place of our own standard error. `preparesTls`: they will need it.
 */
export function forkLauncher(options: {
  entry: string
  onOutput?: (pid: number, text: string) => void
  preparesTls?: boolean
}): WorkerLauncher {
  const { entry, onOutput, preparesTls = false } = options
  const flags = [
    ...(onOutput === undefined ? [] : ['--trace-errors']),
    ...(preparesTls ? ['--prepare-tls'] : []),
  ]
  return {
    launch: () =>
      new Promise((resolve, reject) => {
        const child = fork(entry, flags, {
          execArgv: [...process.execArgv, ...workerFlags],
          stdio: ['ignore', 'ignore', onOutput === undefined ? 'inherit' : 'pipe', 'ipc'],
        })
        child.once('error', reject)
        child.once('spawn', () => {
          const { pid } = child
          if (pid === undefined) {
            reject(new Error('the worker has no pid'))
            return
          }
          child.stderr?.setEncoding('utf8').on('data', (text: string) => onOutput?.(pid, text))
          // a channel that breaks is followed by the exit, which is what counts
          child.on('error', () => null)
          resolve({
            pid,
            send: (message) => {
              if (child.connected) child.send(message, () => null)
            },
            onMessage: (listener) => void child.on('message', listener),
            onExit: (listener) => {
              // a worker that was started ahead may have ended before anybody listened
              if (child.exitCode === null && child.signalCode === null) child.once('exit', listener)
              else queueMicrotask(() => listener(child.exitCode, child.signalCode))
            },
            kill: () => void child.kill('SIGKILL'),
            dismiss: () => {
              if (child.connected) child.disconnect()
            },
          })
        })
      }),
  }
}
