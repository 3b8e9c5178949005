/**
 * The place of one attempt in a worker process: its lease. It knows which steps are at work, which process groups the
 * attempt has recorded, and when nothing of it is left.
 */
import type { WorkerEnd } from '../../core/ports.ts'
import type { HostMessage, WorkerMessage } from '../../shared/worker-protocol.ts'
import { startTimeOf } from '../process-identity.ts'
import type { RecordedProcess } from './process-group.ts'
import { killProcessAndGroup } from './process-group.ts'

export interface LeaseHandlers {
  onMessage: (message: WorkerMessage) => void
  onEnd: (end: WorkerEnd) => void
}

/** What names an attempt in every message. */
type AttemptName = Pick<HostMessage, 'attemptId' | 'token'>

type ChildStarted = Extract<WorkerMessage, { kind: 'child-started' }>

export class Seat {
  readonly #handlers: LeaseHandlers
  readonly #onFault: (fault: unknown) => void
  readonly isAlone: boolean
  /** monotonic ms */
  readonly since = performance.now()
  readonly #children = new Map<number, RecordedProcess>()
  #attempt: AttemptName | null = null
  /** steps that were ordered and have not ended */
  readonly #atWork = new Set<string>()
  /** the worker has said that nothing of the attempt is left, or never had any of it */
  #isClear = true
  #onClear: (() => void) | null = null
  /** messages that wait for a look-up in front of them, null when there are none */
  #inOrder: Promise<void> | null = null

  /** `onFault`: the handling of a message went wrong. */
  constructor(handlers: LeaseHandlers, isAlone: boolean, onFault: (fault: unknown) => void) {
    this.#handlers = handlers
    this.isAlone = isAlone
    this.#onFault = onFault
  }

  /** The attempt that it was given orders of, null before the first one. */
  get attempt(): AttemptName | null {
    return this.#attempt
  }

  /** Notes what is about to be sent; false for what is of another attempt than the orders before it. */
  sends(message: HostMessage): boolean {
    if (message.kind === 'run-step') {
      this.#attempt ??= { attemptId: message.attemptId, token: message.token }
      if (message.token === this.#attempt.token) {
        this.#atWork.add(message.stepId)
        this.#isClear = false
      }
    }
    return this.#attempt === null || message.token === this.#attempt.token
  }

  /** Calls back when the worker has said that nothing of its attempt is left; at once when it never had one. */
  whenClear(callback: () => void): void {
    if (this.#isClear) callback()
    else this.#onClear = callback
  }

  hear(message: WorkerMessage): void {
    if (this.#inOrder === null && message.kind !== 'child-started') {
      this.#pass(message)
      return
    }
    // a look-up is on its way: what comes behind it must not overtake it
    const turn = (this.#inOrder ?? Promise.resolve()).then(async () => {
      this.#pass(message.kind === 'child-started' ? await this.#record(message) : message)
      if (this.#inOrder === turn) this.#inOrder = null
    })
    this.#inOrder = turn
  }

  /** Resolves when all that was heard has been passed on. */
  async heardOut(): Promise<void> {
    await this.#inOrder
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

  /** Ends the lease. Whoever is told it may fail: that is nobody else's trouble. */
  tellEnd(end: WorkerEnd): void {
    this.#handlers.onEnd(end)
  }

  /** A fault in the handling of one attempt ends that attempt, never the host. */
  #pass(message: WorkerMessage): void {
    try {
      const clears = this.#clears(message)
      // before it is passed on: that may lead to another order, or to the end of the lease
      if (clears) this.#isClear = true
      if (message.kind !== 'ended') this.#handlers.onMessage(message)
      if (clears && this.#isClear) this.#onClear?.()
    } catch (fault) {
      this.#onFault(fault)
    }
  }

  /** Whether it says that nothing of the attempt is left. */
  #clears(message: WorkerMessage): boolean {
    if (message.kind !== 'outcome') return message.kind === 'ended'
    this.#atWork.delete(message.stepId)
    // an order that it had not heard of yet is still to come
    return message.isLast && this.#atWork.size === 0
  }

  async #record(message: ChildStarted): Promise<ChildStarted> {
    const startTime = (await startTimeOf(message.pid)) ?? ''
    this.#children.set(message.pid, { pid: message.pid, startTime })
    return { ...message, startTime }
  }
}
