/**
 * One worker process as the pool sees it: who leases it, which process groups it has recorded, and how it ends.
 * Its messages are validated here; a worker that says what does not fit the schema is not reasoned with.
 */
import type { WorkerEnd } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import type { HostMessage, WorkerMessage } from '../../shared/worker-protocol.ts'
import { workerMessageSchema } from '../../shared/worker-protocol.ts'
import { startTimeOf } from '../process-identity.ts'
import type { LaunchedWorker } from './launcher.ts'
import type { RecordedProcess } from './process-group.ts'
import { killProcessAndGroup } from './process-group.ts'

export interface LeaseHandlers {
  onMessage: (message: WorkerMessage) => void
  onEnd: (end: WorkerEnd) => void
}

export interface PooledWorkerEvents {
  /** The process has ended; its groups may still be there. */
  onExit: (worker: PooledWorker) => void
  /** The process and its groups are gone; `handlers` are those of the lease that ends with it. */
  onGone: (worker: PooledWorker, handlers: LeaseHandlers | null, end: WorkerEnd) => void
  onFault: (fault: unknown) => void
}

/** What names an attempt in every message. */
type AttemptName = Pick<HostMessage, 'attemptId' | 'token'>

type ChildStarted = Extract<WorkerMessage, { kind: 'child-started' }>

export class PooledWorker {
  readonly #process: LaunchedWorker
  readonly #events: PooledWorkerEvents
  readonly #children = new Map<number, RecordedProcess>()
  /** the lease it works for */
  handlers: LeaseHandlers | null = null
  /** the attempt that it was given orders of in this lease, until it has said that nothing of it is left */
  #attempt: AttemptName | null = null
  /** steps of it that were ordered and have not ended */
  readonly #atWork = new Set<string>()
  #onEnded: (() => void) | null = null
  /** the attempt that it keeps open, and beats for, until it is told to end it or given another one */
  #open: AttemptName | null = null
  #startTime = ''
  #exit: WorkerEnd | null = null
  /** messages that wait for a look-up in front of them, null when there are none */
  #inOrder: Promise<void> | null = null
  /** resolves when the process and its groups are gone */
  readonly gone: Promise<void>

  constructor(process: LaunchedWorker, events: PooledWorkerEvents) {
    this.#process = process
    this.#events = events
    process.onMessage((message) => this.#hear(message))
    this.gone = new Promise((resolve) => {
      process.onExit((code, signal) => {
        this.#exit = { kind: 'exited', code, signal }
        events.onExit(this)
        void this.#end(this.#exit).then(resolve)
      })
    })
  }

  get pid(): number {
    return this.#process.pid
  }

  /** Empty when it ended before it could be looked up. */
  get startTime(): string {
    return this.#startTime
  }

  get hasExited(): boolean {
    return this.#exit !== null
  }

  async identify(): Promise<void> {
    this.#startTime = (await startTimeOf(this.pid)) ?? ''
  }

  /** A worker that ended between its start and its lease tells so at once. */
  lease(handlers: LeaseHandlers): void {
    this.handlers = handlers
    this.#attempt = null
    this.#atWork.clear()
    this.#onEnded = null
    if (this.#exit !== null) void this.#end(this.#exit)
  }

  send(message: HostMessage): void {
    if (message.kind === 'run-step') {
      this.#attempt = { attemptId: message.attemptId, token: message.token }
      this.#open = this.#attempt
      this.#atWork.add(message.stepId)
    }
    this.#process.send(message)
  }

  /** Calls back when the worker has said that nothing of its attempt is left; at once when it never had one. */
  whenEnded(callback: () => void): void {
    if (this.#attempt === null) {
      callback()
      return
    }
    this.#onEnded = callback
    this.rest()
  }

  /** Has it close the attempt that it keeps open: nothing follows for now. */
  rest(): void {
    if (this.#open !== null) this.send({ kind: 'end-attempt', ...this.#open })
    this.#open = null
  }

  dismiss(): void {
    this.#process.dismiss()
  }

  /** Ends the process and its groups; `onGone` follows. The groups do not wait for a worker that is slow to die. */
  kill(): void {
    this.#process.kill()
    void this.endChildren()
  }

  /** Kills the recorded groups and waits until they are gone. */
  async endChildren(): Promise<void> {
    await Promise.all(
      [...this.#children.values()].map(async (child) => {
        await killProcessAndGroup(child, 'kill')
        this.#children.delete(child.pid)
      }),
    )
  }

  async #end(end: WorkerEnd): Promise<void> {
    await this.#inOrder
    await this.endChildren()
    const { handlers } = this
    this.handlers = null
    this.#events.onGone(this, handlers, end)
  }

  #hear(raw: unknown): void {
    const message = workerMessageSchema.safeParse(raw)
    if (!message.success) {
      const fault = new SluiceError('INTERNAL', 'A worker sent a message that is none', {
        cause: message.error,
      })
      this.#events.onFault(fault)
      this.kill()
      return
    }
    const { data } = message
    if (this.#inOrder === null && data.kind !== 'child-started') {
      this.#pass(data)
      return
    }
    // a look-up is on its way: what comes behind it must not overtake it
    const turn = (this.#inOrder ?? Promise.resolve()).then(async () => {
      this.#pass(data.kind === 'child-started' ? await this.#record(data) : data)
      if (this.#inOrder === turn) this.#inOrder = null
    })
    this.#inOrder = turn
  }

  /** A fault in the handling of one attempt ends that attempt, never the host. */
  #pass(message: WorkerMessage): void {
    try {
      const isEnd = this.#isEnd(message)
      if (message.kind !== 'ended') this.handlers?.onMessage(message)
      if (isEnd) this.#onEnded?.()
    } catch (fault) {
      this.#events.onFault(fault)
      this.kill()
    }
  }

  /** Whether it says that nothing of its attempt is left. News of an attempt before this one says nothing. */
  #isEnd(message: WorkerMessage): boolean {
    if (message.token !== this.#attempt?.token) return false
    if (message.kind === 'outcome') {
      this.#atWork.delete(message.stepId)
      // an order that it had not heard of yet is still to come
      if (!message.isLast || this.#atWork.size > 0) return false
    } else if (message.kind !== 'ended') return false
    this.#attempt = null
    return true
  }

  async #record(message: ChildStarted): Promise<ChildStarted> {
    const startTime = (await startTimeOf(message.pid)) ?? ''
    this.#children.set(message.pid, { pid: message.pid, startTime })
    return { ...message, startTime }
  }
}
