/**
 * Worker processes that do what a test says. Every order and message from the host is recorded; the test answers
 * for the worker, also with what no decent worker would say.
 */
import type { WorkerEnd, WorkerLease, WorkerPool } from '../../src/core/ports.ts'
import { SluiceError } from '../../src/shared/errors.ts'
import type { HostMessage, WorkerMessage, WorkerReport } from '../../src/shared/worker-protocol.ts'

export type RunStep = Extract<HostMessage, { kind: 'run-step' }>

interface Handlers {
  onMessage: (message: WorkerMessage) => void
  onEnd: (end: WorkerEnd) => void
}

export class FakeWorker implements WorkerLease {
  readonly pid: number
  readonly startTime: string
  readonly received: HostMessage[] = []
  /** open orders by step */
  readonly orders = new Map<string, RunStep>()
  /** nobody may share its process */
  readonly isAlone: boolean
  readonly #handlers: Handlers
  readonly #pool: FakeWorkerPool
  #seq = 0
  #ended = false
  /** release is not followed by the end: a worker that wedges after its work */
  wedged = false
  /** kill is not followed by the end until the test says so */
  unkillable = false
  killed = false
  released = false

  constructor(pid: number, handlers: Handlers, pool: FakeWorkerPool, isAlone: boolean) {
    this.pid = pid
    this.isAlone = isAlone
    this.startTime = `t${pid}`
    this.#handlers = handlers
    this.#pool = pool
  }

  get alive(): boolean {
    return !this.#ended
  }

  send(message: HostMessage): void {
    if (this.#ended) return
    this.received.push(message)
    if (message.kind === 'run-step') this.orders.set(message.stepId, message)
    this.#pool.onHostMessage?.(this, message)
  }

  release(): void {
    this.released = true
    if (!this.wedged) this.end({ kind: 'returned' })
  }

  kill(): void {
    this.killed = true
    if (!this.unkillable) this.end({ kind: 'exited', code: null, signal: 'SIGKILL' })
  }

  /** The process or lease ends; told once, and not before the caller has finished. */
  end(end: WorkerEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#pool.forget(this)
    void Promise.resolve().then(() => this.#handlers.onEnd(end))
  }

  crash(): void {
    this.end({ kind: 'exited', code: 1, signal: null })
  }

  /** Its process is killed for the sake of another attempt in it. */
  evict(): void {
    this.end({ kind: 'evicted' })
  }

  /** The host is gone: nothing is heard of this worker any more. */
  vanish(): void {
    this.#ended = true
  }

  /** Says something in the name of the attempt of the last order. */
  report(report: WorkerReport): void {
    if (this.#ended) return
    this.raw({ ...this.envelope(), ...report })
  }

  envelope(): { attemptId: string; token: number; seq: number } {
    const first = this.received[0]
    if (first === undefined) throw new Error('this worker has heard nothing yet')
    return { attemptId: first.attemptId, token: first.token, seq: ++this.#seq }
  }

  /** Says something as it is: old tokens, repeated numbers. */
  raw(message: WorkerMessage): void {
    if (message.kind === 'outcome') this.orders.delete(message.stepId)
    this.#handlers.onMessage(message)
  }
}

export class FakeWorkerPool implements WorkerPool {
  readonly #alive = new Set<FakeWorker>()
  #pid: number
  /** every worker that was ever leased in this life */
  readonly workers: FakeWorker[] = []
  readonly killedRecorded: { pid: number; startTime: string }[] = []
  failNextAcquire = false
  /** resolved by the test before a worker is handed out, when it wants to hold that up */
  gate: Promise<void> | null = null
  onHostMessage: ((worker: FakeWorker, message: HostMessage) => void) | null = null

  constructor(firstPid = 1000) {
    this.#pid = firstPid
  }

  get alive(): FakeWorker[] {
    return [...this.#alive]
  }

  async acquire(handlers: Handlers, wish?: 'alone'): Promise<WorkerLease> {
    if (this.gate !== null) await this.gate
    if (this.failNextAcquire) {
      this.failNextAcquire = false
      throw new SluiceError('INTERNAL', 'No process could be started')
    }
    const worker = new FakeWorker(++this.#pid, handlers, this, wish === 'alone')
    this.#alive.add(worker)
    this.workers.push(worker)
    return worker
  }

  forget(worker: FakeWorker): void {
    this.#alive.delete(worker)
  }

  /** The host has crashed: its workers stop by themselves and nobody hears of them. */
  vanish(): void {
    for (const worker of this.#alive) worker.vanish()
    this.#alive.clear()
  }

  killRecorded(processes: readonly { pid: number; startTime: string }[]): Promise<void> {
    this.killedRecorded.push(...processes)
    return Promise.resolve()
  }

  close(): Promise<void> {
    for (const worker of [...this.#alive]) worker.kill()
    return Promise.resolve()
  }
}
