/**
 * Worker processes, each leased to one attempt at a time. A worker that says that nothing of the last attempt is left
 * is used again; one that crashed, was killed, is wedged or spoke nonsense is replaced. The end of a lease is told
 * exactly once, and only after the process (when it had to go) and every process group it had recorded are observed to
 * be gone: that is what lets the next attempt of the task begin (invariant 11).
 */
import type { WorkerEnd, WorkerLease, WorkerPool } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { WorkerLauncher } from './launcher.ts'
import type { RecordedProcess } from './process-group.ts'
import { killProcessAndGroup } from './process-group.ts'
import type { LeaseHandlers } from './pooled-worker.ts'
import { PooledWorker } from './pooled-worker.ts'
import { WorkerQueue } from './worker-queue.ts'

/** A worker without work goes after this long, but one stays warm. */
const idleMs = 10_000

/** An idle worker that was asked to go and does not is killed after this long. */
const dismissedMs = 2_000

function closedError(): SluiceError {
  return new SluiceError('INTERNAL', 'The worker pool is closed')
}

export class SupervisedWorkerPool implements WorkerPool {
  readonly #launcher: WorkerLauncher
  readonly #onFault: (fault: unknown) => void
  readonly #all = new Set<PooledWorker>()
  readonly #launching = new Set<Promise<void>>()
  readonly #queue = new WorkerQueue<PooledWorker>({
    launching: () => this.#launching.size,
    started: () => this.#all.size,
    launch: () => void this.#launch().catch((error: unknown) => this.#queue.fail(error)),
  })
  #idle: { worker: PooledWorker; timer: NodeJS.Timeout }[] = []
  #closed: Promise<void> | null = null

  /** `onFault` is told what went wrong between the processes; each such fault also ends its worker. */
  constructor(
    launcher: WorkerLauncher,
    onFault: (fault: unknown) => void = (fault) => console.error('worker pool:', fault),
  ) {
    this.#launcher = launcher
    this.#onFault = onFault
  }

  /** Starts a worker ahead of the first attempt, so that its start-up time runs beside the host's. */
  async warm(): Promise<void> {
    if (this.#idle.length === 0 && this.#launching.size === 0) await this.#launch()
  }

  async acquire(handlers: LeaseHandlers): Promise<WorkerLease> {
    this.#refuseWhenClosed()
    const idle = this.#idle.pop()
    if (idle !== undefined) clearTimeout(idle.timer)
    const worker = idle?.worker ?? (await this.#queue.wait())
    if (this.#closed !== null) worker.dismiss()
    this.#refuseWhenClosed()
    worker.lease(handlers)
    return this.#leaseOf(worker, handlers)
  }

  #refuseWhenClosed(): void {
    if (this.#closed !== null) throw closedError()
  }

  #leaseOf(worker: PooledWorker, handlers: LeaseHandlers): WorkerLease {
    const isOurs = () => worker.handlers === handlers
    return {
      pid: worker.pid,
      startTime: worker.startTime,
      send: (message) => {
        if (isOurs()) worker.send(message)
      },
      release: () => {
        if (!isOurs() || worker.hasExited) return
        // what it had started need not be waited for: nothing of it is wanted any more
        void worker.endChildren()
        worker.whenEnded(() => {
          if (!isOurs() || worker.hasExited) return
          worker.handlers = null
          void worker.endChildren().then(() => {
            this.#queue.noteReturn()
            if (!worker.hasExited) this.#give(worker)
            this.#tellEnd(handlers, { kind: 'returned' })
          })
        })
      },
      kill: () => {
        if (isOurs()) worker.kill()
      },
    }
  }

  #tellEnd(handlers: LeaseHandlers, end: WorkerEnd): void {
    try {
      handlers.onEnd(end)
    } catch (fault) {
      this.#onFault(fault)
    }
  }

  /** Starts a process for whoever waits longest. @throws SluiceError `INTERNAL` when that cannot be done */
  #launch(): Promise<void> {
    const launching = this.#start().then((worker) => this.#give(worker))
    this.#launching.add(launching)
    const settled = () => this.#launching.delete(launching)
    launching.then(settled, settled)
    return launching
  }

  async #start(): Promise<PooledWorker> {
    try {
      const launched = await this.#launcher.launch()
      const worker = new PooledWorker(launched, {
        onGone: (gone, handlers, end) => {
          this.#all.delete(gone)
          if (handlers !== null) this.#tellEnd(handlers, end)
        },
        onExit: (gone) => this.#forgetIdle(gone),
        onFault: this.#onFault,
      })
      this.#all.add(worker)
      await worker.identify()
      return worker
    } catch (error) {
      throw new SluiceError('INTERNAL', 'A worker process could not be started', { cause: error })
    }
  }

  #forgetIdle(worker: PooledWorker): void {
    this.#idle = this.#idle.filter((idle) => {
      if (idle.worker === worker) clearTimeout(idle.timer)
      return idle.worker !== worker
    })
  }

  #give(worker: PooledWorker): void {
    if (this.#closed !== null) worker.dismiss()
    else if (!this.#queue.give(worker)) this.#makeIdle(worker)
  }

  #makeIdle(worker: PooledWorker): void {
    worker.rest()
    const timer = setTimeout(() => {
      if (this.#idle.length < 2) return
      this.#forgetIdle(worker)
      worker.dismiss()
    }, idleMs)
    timer.unref()
    this.#idle.push({ worker, timer })
  }

  async killRecorded(processes: readonly RecordedProcess[]): Promise<void> {
    await Promise.all(processes.map((recorded) => killProcessAndGroup(recorded, 'leave')))
  }

  /** Dismisses idle workers, kills the others, and resolves when all are gone. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#endAll()
    return this.#closed
  }

  async #endAll(): Promise<void> {
    this.#queue.close(closedError())
    for (const { worker, timer } of this.#idle) {
      clearTimeout(timer)
      worker.dismiss()
    }
    this.#idle = []
    for (const worker of this.#all) if (worker.handlers !== null) worker.kill()
    await Promise.allSettled(this.#launching)
    const stubborn = setTimeout(() => {
      for (const worker of this.#all) worker.kill()
    }, dismissedMs)
    await Promise.all([...this.#all].map((worker) => worker.gone))
    clearTimeout(stubborn)
  }
}
