/**
 * Syncs small files together: those that come shortly after each other go as one round, and all of a round hear of its
 * end at once. What follows for each (a message to the host, its commit, the answer) is then one for all.
 */
import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { onQuietTurn } from '../../shared/quiet-turn.ts'

/** As half of the attempts that share a process: while the host commits for one half, the other is at work here. */
const mostTogether = 8

interface Waiting {
  readonly descriptor: number
  readonly turn: PromiseWithResolvers<null>
}

export class JointSyncs {
  readonly #sync: (descriptor: number) => Promise<void>
  #waiting: Waiting[] = []

  constructor(sync: (descriptor: number) => Promise<void> = promisify(fsync)) {
    this.#sync = sync
  }

  /** Makes an open file durable, by a thread; rejects with an errno. */
  run(descriptor: number): Promise<null> {
    const turn = Promise.withResolvers<null>()
    this.#waiting.push({ descriptor, turn })
    if (this.#waiting.length === mostTogether) void this.#round()
    else if (this.#waiting.length === 1) this.#gather()
    return turn.promise
  }

  #gather(): void {
    onQuietTurn(
      () => this.#waiting.length,
      setImmediate,
      () => void this.#round(),
    )
  }

  async #round(): Promise<void> {
    const all = this.#waiting.splice(0)
    const results = await Promise.allSettled(all.map(({ descriptor }) => this.#sync(descriptor)))
    for (const [index, { turn }] of all.entries()) {
      const result = results[index]
      if (result?.status === 'rejected') turn.reject(result.reason)
      else turn.resolve(null)
    }
  }
}
