/**
 * Worker processes, each leased to one attempt, or to several while attempts are short. A worker that says that nothing
 * of an attempt is left is used again; one that crashed, was killed, is wedged or spoke nonsense is replaced. The end
 * of a lease is told exactly once, and only after the process (when it had to go) and every process group it had
 * recorded are observed to be gone: that is what lets the next attempt of the task begin (invariant 11).
 */
import type { WorkerLease, WorkerPool } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { WorkerLauncher } from './launcher.ts'
import type { RecordedProcess } from './process-group.ts'
import { killProcessAndGroup } from './process-group.ts'
import { PooledWorker } from './pooled-worker.ts'
import type { LeaseHandlers, Seat } from './seat.ts'
import { shortMs, WorkerQueue } from './worker-queue.ts'

/** A worker without work goes after this long, but one stays warm. */
const idleMs = 10_000

/** An idle worker that was asked to go and does not is killed after this long. */
const dismissedMs = 2_000

/** Short attempts that share one process: what is synced and told together costs less, and more is lost with it. */
const mostSeats = 16

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

  async acquire(handlers: LeaseHandlers, wish?: 'alone'): Promise<WorkerLease> {
    if (this.#closed !== null) throw closedError()
    const isAlone = wish === 'alone'
    const worker = this.#takeIdle() ?? (isAlone ? undefined : this.#roomy())
    if (worker !== undefined) return this.#lease(worker, handlers, isAlone)
    return this.#queue.wait(isAlone, (given) => this.#lease(given, handlers, isAlone))
  }

  #takeIdle(): PooledWorker | undefined {
    const idle = this.#idle.pop()
    clearTimeout(idle?.timer)
    return idle?.worker
  }

  /** A worker with attempts beside which another one may work. */
  #roomy(): PooledWorker | undefined {
    if (!this.#queue.isShort) return undefined
    return [...this.#all].find((worker) => worker.hasRoom(mostSeats, shortMs))
  }

  #lease(worker: PooledWorker, handlers: LeaseHandlers, isAlone: boolean): WorkerLease {
    const seat = worker.seat(handlers, isAlone)
    return {
      pid: worker.pid,
      startTime: worker.startTime,
      send: (message) => {
        if (worker.holds(seat)) worker.send(seat, message)
      },
      release: () => {
        if (!worker.holds(seat) || worker.hasExited) return
        // what it had started need not be waited for: nothing of it is wanted any more
        void seat.endChildren()
        worker.vacate(seat, () => void this.#takeBack(worker, seat))
      },
      kill: () => {
        if (worker.holds(seat)) worker.kill(seat)
      },
    }
  }

  async #takeBack(worker: PooledWorker, seat: Seat): Promise<void> {
    await seat.endChildren()
    if (!worker.holds(seat) || worker.hasExited) return
    worker.remove(seat)
    this.#queue.noteReturn(performance.now() - seat.since)
    this.#give(worker)
    try {
      seat.tellEnd({ kind: 'returned' })
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
        onGone: (gone) => void this.#all.delete(gone),
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

  /** What a worker can take is for those who wait: all of an empty one, and seats wherever there is room. */
  #give(worker: PooledWorker): void {
    if (this.#closed !== null) {
      if (worker.isEmpty) worker.dismiss()
      return
    }
    if (worker.isEmpty && !this.#queue.giveEmpty(worker)) this.#makeIdle(worker)
    for (let roomy = this.#roomy(); roomy !== undefined; roomy = this.#roomy()) {
      if (!this.#queue.giveRoom(roomy)) return
    }
  }

  #makeIdle(worker: PooledWorker): void {
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
    for (const worker of this.#all) if (!worker.isEmpty) worker.kill(null)
    await Promise.allSettled(this.#launching)
    const stubborn = setTimeout(() => {
      for (const worker of this.#all) worker.kill(null)
    }, dismissedMs)
    await Promise.all([...this.#all].map((worker) => worker.gone))
    clearTimeout(stubborn)
  }
}
