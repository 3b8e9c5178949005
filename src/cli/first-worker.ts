/**
 * The first worker process of a download. It takes as long to start as the rest of this program takes to load, so
 * it is started before that, side by side. This module therefore imports nothing that is slow.
 */
import { entryPoint } from '../adapters/entry-point.ts'
import type { LaunchedWorker, WorkerLauncher } from '../adapters/workers/launcher.ts'
import { forkLauncher } from '../adapters/workers/launcher.ts'

const fork = forkLauncher({
  entry: entryPoint('start-worker'),
  preparesTls: process.argv.some((argument) => /^https:/i.test(argument)),
})
let first: Promise<LaunchedWorker> | null = null

/** Gives the worker that was started ahead, if there is one, then new ones. */
export const workerLauncher: WorkerLauncher = {
  launch: () => {
    const launched = first ?? fork.launch()
    first = null
    return launched
  },
}

/** Starts a worker ahead of everything. One that cannot be started is told by whoever needs it. */
export function startFirstWorker(): void {
  first = fork.launch()
  first.catch(() => null)
}

/** Lets a worker go that nobody came for: the command was a wrong one. */
export async function dismissFirstWorker(): Promise<void> {
  const unclaimed = first
  first = null
  const worker = await unclaimed?.catch(() => null)
  worker?.dismiss()
}
