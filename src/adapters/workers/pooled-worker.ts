/**
 * One worker process as the pool sees it: whose seats are in it, and how it ends. Its messages are validated here; a
 * worker that says what does not fit the schema is not reasoned with. Messages go in batches, both ways.
 */
import type { WorkerEnd } from '../../core/ports.ts'
import { SluiceError } from '../../shared/errors.ts'
import { inBatches } from '../../shared/in-batches.ts'
import { deferred, z } from '../../shared/validator.ts'
import type { HostMessage } from '../../shared/worker-protocol.ts'
import { workerMessageSchema } from '../../shared/worker-protocol.ts'
import { startTimeOf } from '../process-identity.ts'
import type { LaunchedWorker } from './launcher.ts'
import type { LeaseHandlers } from './seat.ts'
import { Seat } from './seat.ts'

export interface PooledWorkerEvents {
  /** The process has ended; its groups may still be there. */
  onExit: (worker: PooledWorker) => void
  /** The process and its groups are gone. */
  onGone: (worker: PooledWorker) => void
  onFault: (fault: unknown) => void
}

const batchSchema = deferred(() => z.array(workerMessageSchema))

export class PooledWorker {
  readonly #process: LaunchedWorker
  readonly #events: PooledWorkerEvents
  readonly #seats = new Set<Seat>()
  /** by the token of their attempts, from the first order on */
  readonly #byToken = new Map<number, Seat>()
  readonly #post: (message: HostMessage) => void
  /** those for whose sake it is being killed; null: nobody asked, or it was for all */
  #killedFor: Set<Seat> | null = null
  #startTime = ''
  #exit: WorkerEnd | null = null
  /** resolves when the process and its groups are gone */
  readonly gone: Promise<void>

  constructor(process: LaunchedWorker, events: PooledWorkerEvents) {
    this.#process = process
    this.#events = events
    this.#post = inBatches((batch) => process.send(batch), setImmediate)
    process.onMessage((batch) => this.#hear(batch))
    this.gone = new Promise((resolve) => {
      process.onExit((code, signal) => {
        const exit: WorkerEnd = { kind: 'exited', code, signal }
        this.#exit = exit
        events.onExit(this)
        void Promise.all([...this.#seats].map((seat) => this.#endSeat(seat, exit))).then(() => {
          events.onGone(this)
          resolve()
        })
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

  /** Whether nobody has a seat in it. */
  get isEmpty(): boolean {
    return this.#seats.size === 0
  }

  async identify(): Promise<void> {
    this.#startTime = (await startTimeOf(this.pid)) ?? ''
  }

  /** Whether another attempt may have a seat beside those that are here, all of them younger than `youngMs`. */
  hasRoom(most: number, youngMs: number): boolean {
    if (this.isEmpty || this.#seats.size >= most || this.hasExited || this.#killedFor !== null) return false
    const youngest = performance.now() - youngMs
    return [...this.#seats].every((seat) => !seat.isAlone && seat.since > youngest)
  }

  /** A worker that ended between its start and its lease tells so at once. */
  seat(handlers: LeaseHandlers, isAlone: boolean): Seat {
    const seat = new Seat(handlers, isAlone, (fault) => {
      this.#events.onFault(fault)
      this.kill(seat)
    })
    this.#seats.add(seat)
    if (this.#exit !== null) void this.#endSeat(seat, this.#exit)
    return seat
  }

  holds(seat: Seat): boolean {
    return this.#seats.has(seat)
  }

  send(seat: Seat, message: HostMessage): void {
    if (!seat.sends(message)) return
    if (message.kind === 'run-step') this.#byToken.set(message.token, seat)
    this.#post(message)
  }

  /** Has the worker end the attempt; calls back when it has said that nothing is left of it. */
  vacate(seat: Seat, callback: () => void): void {
    if (seat.attempt !== null) this.#post({ kind: 'end-attempt', ...seat.attempt })
    seat.whenClear(callback)
  }

  /** The seat is free; its lease has come to its end. */
  remove(seat: Seat): void {
    this.#seats.delete(seat)
    if (seat.attempt !== null) this.#byToken.delete(seat.attempt.token)
  }

  dismiss(): void {
    this.#process.dismiss()
  }

  /**
   * Ends the process and all groups, for the sake of one attempt or of none in particular; the ends of the leases
   * follow. The groups of that attempt do not wait for a worker that is slow to die.
   */
  kill(seat: Seat | null): void {
    if (seat !== null) {
      // what it died of by itself was nobody's wish
      if (!this.hasExited) (this.#killedFor ??= new Set()).add(seat)
      void seat.endChildren()
    }
    this.#process.kill()
  }

  async #endSeat(seat: Seat, exit: WorkerEnd): Promise<void> {
    await seat.heardOut()
    await seat.endChildren()
    if (!this.holds(seat)) return
    this.remove(seat)
    const isOwn = this.#killedFor === null || this.#killedFor.has(seat)
    try {
      seat.tellEnd(isOwn ? exit : { kind: 'evicted' })
    } catch (fault) {
      this.#events.onFault(fault)
    }
  }

  #hear(raw: unknown): void {
    const batch = batchSchema.safeParse(raw)
    if (!batch.success) {
      const fault = new SluiceError('INTERNAL', 'A worker sent a message that is none', {
        cause: batch.error,
      })
      this.#events.onFault(fault)
      this.kill(null)
      return
    }
    // of an attempt that has no seat any more, or never had one, nobody wants to hear
    for (const message of batch.data) this.#byToken.get(message.token)?.hear(message)
  }
}
