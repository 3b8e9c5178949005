/**
 * Worker processes, each leased to one attempt at a time. A healthy worker is used again; one that crashed,
 * was killed or spoke nonsense is replaced. The end of a lease is told exactly once, and only after the process
 * (when it had to go) and every process group it had recorded are observed to be gone: that is what lets the
 * next attempt of the task begin (invariant 11).
 */
import type { WorkerEnd, WorkerLease, WorkerPool } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { HostMessage, WorkerMessage } from '../../shared/worker-protocol.ts'
import { workerMessageSchema } from '../../shared/worker-protocol.ts'
import { startTimeOf } from '../process-identity.ts'
import type { LaunchedWorker, WorkerLauncher } from './launcher.ts'
import type { RecordedProcess } from './process-group.ts'
import { killProcessAndGroup } from './process-group.ts'

interface Handlers {
  onMessage: (message: WorkerMessage) => void
  onEnd: (end: WorkerEnd) => void
}

type ChildStarted = Extract<WorkerMessage, { kind: 'child-started' }>

/** A worker without work goes after this long, but one stays warm. */
const idleMs = 10_000

class PooledWorker {
  readonly process: LaunchedWorker
  /** empty until it was looked up, right after the launch */
  startTime = ''
  readonly children = new Map<number, RecordedProcess>()
  handlers: Handlers | null = null
  /** messages that wait for their turn, null when there are none */
  inOrder: Promise<void> | null = null
  exited: { code: number | null; signal: string | null } | null = null

  constructor(process: LaunchedWorker) {
    this.process = process
  }

  /** Kills the recorded groups and waits until they are gone. */
  async endChildren(): Promise<void> {
    await Promise.all([...this.children.values()].map(killProcessAndGroup))
    this.children.clear()
  }
}

export class SupervisedWorkerPool implements WorkerPool {
  readonly #launcher: WorkerLauncher
  readonly #all = new Set<PooledWorker>()
  #idle: { worker: PooledWorker; timer: NodeJS.Timeout }[] = []
  #closed = false
  readonly #gone = new Set<() => void>()

  constructor(launcher: WorkerLauncher) {
    this.#launcher = launcher
  }

  /** Starts a worker ahead of the first attempt, so that its start-up time runs beside the host's. */
  async warm(): Promise<void> {
    if (this.#idle.length === 0) this.#makeIdle(await this.#launch())
  }

  async acquire(handlers: Handlers): Promise<WorkerLease> {
    if (this.#closed) throw new SluiceError('INTERNAL', 'The worker pool is closed')
    const idle = this.#idle.pop()
    if (idle !== undefined) clearTimeout(idle.timer)
    const worker = idle?.worker ?? (await this.#launch())
    worker.handlers = handlers
    // it may have ended between its start and now
    if (worker.exited !== null) void this.#endLease(worker, { kind: 'exited', ...worker.exited })
    return this.#leaseOf(worker, handlers)
  }

  #leaseOf(worker: PooledWorker, handlers: Handlers): WorkerLease {
    const isOurs = () => worker.handlers === handlers
    return {
      pid: worker.process.pid,
      startTime: worker.startTime,
      send: (message: HostMessage) => {
        if (isOurs()) worker.process.send(message)
      },
      release: () => {
        if (!isOurs() || worker.exited !== null) return
        worker.handlers = null
        void worker.endChildren().then(() => {
          if (worker.exited === null) this.#makeIdle(worker)
          handlers.onEnd({ kind: 'returned' })
        })
      },
      kill: () => {
        if (isOurs()) worker.process.kill()
      },
    }
  }

  async #launch(): Promise<PooledWorker> {
    let launched: LaunchedWorker
    try {
      launched = await this.#launcher.launch()
    } catch (error) {
      throw new SluiceError('INTERNAL', 'A worker process could not be started', { cause: error })
    }
    const worker = new PooledWorker(launched)
    this.#all.add(worker)
    launched.onExit((code, signal) => this.#exited(worker, code, signal))
    launched.onMessage((message) => this.#heard(worker, message))
    worker.startTime = (await startTimeOf(launched.pid)) ?? ''
    return worker
  }

  #heard(worker: PooledWorker, raw: unknown): void {
    const message = workerMessageSchema.safeParse(raw)
    if (!message.success) {
      worker.process.kill()
      return
    }
    const { data } = message
    if (worker.inOrder === null && data.kind !== 'child-started') {
      worker.handlers?.onMessage(data)
      return
    }
    // a look-up is on its way: what comes behind it must not overtake it
    const turn = (worker.inOrder ?? Promise.resolve()).then(async () => {
      worker.handlers?.onMessage(data.kind === 'child-started' ? await this.#recorded(worker, data) : data)
      if (worker.inOrder === turn) worker.inOrder = null
    })
    worker.inOrder = turn
  }

  async #recorded(worker: PooledWorker, message: ChildStarted): Promise<ChildStarted> {
    const startTime = (await startTimeOf(message.pid)) ?? ''
    worker.children.set(message.pid, { pid: message.pid, startTime })
    return { ...message, startTime }
  }

  #exited(worker: PooledWorker, code: number | null, signal: string | null): void {
    worker.exited = { code, signal }
    this.#idle = this.#idle.filter((idle) => {
      if (idle.worker === worker) clearTimeout(idle.timer)
      return idle.worker !== worker
    })
    void this.#endLease(worker, { kind: 'exited', code, signal })
  }

  async #endLease(worker: PooledWorker, end: WorkerEnd): Promise<void> {
    const { handlers } = worker
    await worker.inOrder
    await worker.endChildren()
    this.#all.delete(worker)
    if (worker.handlers === handlers) worker.handlers = null
    handlers?.onEnd(end)
    for (const look of [...this.#gone]) look()
  }

  #makeIdle(worker: PooledWorker): void {
    if (this.#closed) {
      worker.process.dismiss()
      return
    }
    const timer = setTimeout(() => {
      if (this.#idle.length < 2) return
      this.#idle = this.#idle.filter((idle) => idle.worker !== worker)
      worker.process.dismiss()
    }, idleMs)
    timer.unref()
    this.#idle.push({ worker, timer })
  }

  async killRecorded(processes: readonly RecordedProcess[]): Promise<void> {
    await Promise.all(processes.map(killProcessAndGroup))
  }

  /** Dismisses idle workers, kills the others, and resolves when all are gone. */
  async close(): Promise<void> {
    this.#closed = true
    for (const { worker, timer } of this.#idle) {
      clearTimeout(timer)
      worker.process.dismiss()
    }
    this.#idle = []
    for (const worker of this.#all) if (worker.handlers !== null) worker.process.kill()
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#all.size > 0) return
        this.#gone.delete(look)
        resolve()
      }
      this.#gone.add(look)
      look()
    })
  }
}
