/**
 * Those who wait for a worker, first come, first served. Starting a process costs as much as many short attempts, so
 * a worker that is about to come back is waited for; a long attempt must hold up nobody.
 */
import { availableParallelism } from 'node:os'

/** While workers come back, more of them keep no processor busier. Attempts that stay get one each, however many. */
const mostForShortWork = 2 * availableParallelism()

/** Between two looks at those who wait; a worker that comes back within it is there sooner than a new process. */
const lookMs = 25
/** Attempts that take longer than this are long: whoever waits for one of them gets a process of his own. */
const longMs = 200

interface Waiting<W> {
  /** monotonic ms */
  since: number
  turn: PromiseWithResolvers<W>
}

export interface WorkerQueueParts {
  /** processes that are on their way */
  launching(): number
  /** processes that are there */
  started(): number
  /** Starts one; it comes by `give`, or its failure by `fail`. */
  launch(): void
}

export class WorkerQueue<W> {
  readonly #parts: WorkerQueueParts
  readonly #waiting: Waiting<W>[] = []
  /** monotonic ms at which an attempt gave its worker back last */
  #returnedAt = 0
  /** monotonic ms at which processes were started for want of any that came back */
  #doubledAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(parts: WorkerQueueParts) {
    this.#parts = parts
  }

  /** Resolves with a worker; rejects when none can be started, and when the queue is closed. */
  wait(): Promise<W> {
    const turn = Promise.withResolvers<W>()
    this.#waiting.push({ since: performance.now(), turn })
    this.#look()
    return turn.promise
  }

  /** A worker came back from its attempt. */
  noteReturn(): void {
    this.#returnedAt = performance.now()
  }

  /** A worker is free; false when nobody waits for one. */
  give(worker: W): boolean {
    const first = this.#waiting.shift()
    first?.turn.resolve(worker)
    return first !== undefined
  }

  /** No process could be started. */
  fail(cause: unknown): void {
    this.#waiting.shift()?.turn.reject(cause)
  }

  close(cause: Error): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const { turn } of this.#waiting.splice(0)) turn.reject(cause)
  }

  #arm(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#look()
    }, lookMs)
  }

  #look(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    const launching = this.#parts.launching()
    const wanted = Math.min(this.#waiting.length, this.#worthwhile(first, launching))
    for (let count = launching; count < wanted; count++) this.#parts.launch()
    this.#arm()
  }

  /** How many processes may be on their way now. */
  #worthwhile(first: Waiting<W>, launching: number): number {
    const now = performance.now()
    const processes = launching + this.#parts.started()
    // nothing can come back: at the beginning, and when the last one died while others waited for it
    if (processes === 0) return 1
    if (this.#returnedAt > first.since) {
      return now - first.since >= lookMs && processes < mostForShortWork ? 1 : 0
    }
    // none has come back: twice as many each time, until all have theirs
    if (now - Math.max(first.since, this.#doubledAt) < longMs) return 0
    this.#doubledAt = now
    return processes
  }
}
