/**
 * Those who wait for a worker, first come, first served. Starting a process costs as much as many short attempts, so
 * a worker that is about to come back is waited for, and short attempts share processes; a long attempt must hold up
 * nobody, and has nobody put beside it.
 */
import { availableParallelism } from 'node:os'

/** While workers come back, more of them keep no processor busier. Attempts that stay get one each, however many. */
const mostForShortWork = availableParallelism()

/** Between two looks at those who wait; a worker that comes back within it is there sooner than a new process. */
const lookMs = 25
/** Attempts that take longer than this are long: whoever waits for one of them gets a process of his own. */
const longMs = 200
/**
 * Attempts that take less than this are short: they may share a process. More than on a machine with nothing else to
 * do, since sharing has to help most where each takes its time because all have to.
 */
export const shortMs = 500

interface Waiting<W> {
  /** monotonic ms */
  since: number
  isAlone: boolean
  take: (worker: W) => void
  fail: (cause: unknown) => void
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
  #waiting: Waiting<W>[] = []
  /** monotonic ms at which an attempt gave its worker back last */
  #returnedAt = 0
  /** the same, if that attempt was a short one; a long one is no evidence any more that work is short */
  #shortAt = Number.NEGATIVE_INFINITY
  /** monotonic ms at which processes were started for want of any that came back */
  #doubledAt = 0
  #timer: NodeJS.Timeout | null = null

  constructor(parts: WorkerQueueParts) {
    this.#parts = parts
  }

  /**
   * Resolves with what `take` makes of a worker, at the moment in which there is one; rejects when none can be started,
   * and when the queue is closed. `isAlone`: only an empty one will do.
   */
  wait<T>(isAlone: boolean, take: (worker: W) => T): Promise<T> {
    const turn = Promise.withResolvers<T>()
    this.#waiting.push({
      since: performance.now(),
      isAlone,
      take: (worker) => turn.resolve(take(worker)),
      fail: turn.reject,
    })
    this.#look()
    return turn.promise
  }

  /** A worker came back from an attempt that lasted so long. */
  noteReturn(lastedMs: number): void {
    this.#returnedAt = performance.now()
    this.#shortAt = lastedMs < shortMs ? this.#returnedAt : Number.NEGATIVE_INFINITY
  }

  /** Whether attempts are short now, as far as is known. */
  get isShort(): boolean {
    return performance.now() - this.#shortAt < shortMs
  }

  /** A worker is free; false when nobody waits for one. Who wants one for himself cannot have any other. */
  giveEmpty(worker: W): boolean {
    return this.#giveTo(this.#waiting.find(({ isAlone }) => isAlone) ?? this.#waiting[0], worker)
  }

  /** A worker can take one more; false when nobody waits who would share it. */
  giveRoom(worker: W): boolean {
    return this.#giveTo(
      this.#waiting.find(({ isAlone }) => !isAlone),
      worker,
    )
  }

  #giveTo(waiting: Waiting<W> | undefined, worker: W): boolean {
    if (waiting === undefined) return false
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
    waiting.take(worker)
    return true
  }

  /** No process could be started. */
  fail(cause: unknown): void {
    this.#waiting.shift()?.fail(cause)
  }

  close(cause: Error): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    const refused = this.#waiting
    this.#waiting = []
    for (const { fail } of refused) fail(cause)
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
    const alone = this.#waiting.filter(({ isAlone }) => isAlone).length
    const wanted = Math.max(alone, Math.min(this.#waiting.length, this.#worthwhile(first, launching)))
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
