/**
 * Workers as Electron's utility processes: the same worker program as everywhere, since with the run-as-node fuse
 * off the app's binary cannot be forked as Node.
 */
import type { UtilityProcess } from 'electron'
import { utilityProcess } from 'electron'
import { workerFlags } from '../adapters/workers/launcher.ts'
import type { LaunchedWorker, WorkerLauncher } from '../adapters/workers/launcher.ts'

/** `entry` is the worker's program (`entryPoint('worker')`). */
export function utilityProcessLauncher(options: { entry: string }): WorkerLauncher {
  return {
    launch: () =>
      new Promise((resolve, reject) => {
        const child = utilityProcess.fork(options.entry, [], {
          serviceName: 'Sluice worker',
          execArgv: [...workerFlags],
          // what a worker writes is for whoever started the app from a terminal
          stdio: ['ignore', 'ignore', 'inherit'],
        })
        const failed = (code: number): void => {
          reject(new Error(`the worker ended while it started (${code})`))
        }
        child.once('exit', failed)
        child.once('spawn', () => {
          child.off('exit', failed)
          const { pid } = child
          if (pid === undefined) reject(new Error('the worker has no pid'))
          else resolve(launchedWorker(child, pid))
        })
      }),
  }
}

function launchedWorker(child: UtilityProcess, pid: number): LaunchedWorker {
  return {
    pid,
    send: (message) => {
      child.postMessage(message)
    },
    onMessage: (listener) => {
      child.on('message', listener)
    },
    onExit: (listener) => {
      // Electron tells one number for a code and for a signal
      child.once('exit', (code) => {
        listener(code, null)
      })
    },
    kill: () => {
      killAtOnce(child)
    },
    // Its channel cannot be closed from here, and workers leave SIGTERM to their host; an idle one has nothing to lose.
    dismiss: () => {
      killAtOnce(child)
    },
  }
}

/** `child.kill()` only asks (SIGTERM), and `child.pid` is there exactly while the process is. */
function killAtOnce(child: UtilityProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(child.pid, 'SIGKILL')
  } catch {
    // ended in this very moment: its exit is told
  }
}
