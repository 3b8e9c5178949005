/**
 * How long one turn of the event loop goes on reading. A host that sends faster than we write always has more to read:
 * the loop would take 8 MiB of one connection after the other before it looked at a timer or a message, which is a tenth
 * of a second where memory or drive is slow. Shared by all connections of a process.
 */

/** Time in ms for which a turn may read; each connection that has more is read once all the same. */
export const mostReadingMs = 5

export class ReadTurn {
  readonly #now: () => number
  #endsAt: number | null = null
  #waiting: (() => void)[] = []

  /** `now` is monotonic ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether this turn, which begins with the first such question, has read for long enough. */
  isOver(): boolean {
    if (this.#endsAt !== null) return this.#now() >= this.#endsAt
    this.#endsAt = this.#now() + mostReadingMs
    setImmediate(() => this.#end())
    return false
  }

  /** Has `goOn` called at the end of the turn, so that the next one reads on. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn)
  }

  #end(): void {
    this.#endsAt = null
    const waiting = this.#waiting
    this.#waiting = []
    for (const goOn of waiting) goOn()
  }
}
