/**
 * Syncs small files together. Those that come while others are at the drive go with the next ones, and all of a round
 * hear of its end at once: what follows for each (a message to the host, its commit, the answer) is then one for all.
 */
import { fsync } from 'node:fs'
import { promisify } from 'node:util'
import { onQuietTurn } from '../../shared/quiet-turn.ts'

interface Waiting {
  readonly descriptor: number
  readonly turn: PromiseWithResolvers<null>
}

export class JointSyncs {
  readonly #sync: (descriptor: number) => Promise<void>
  #waiting: Waiting[] = []
  #isBusy = false

  constructor(sync: (descriptor: number) => Promise<void> = promisify(fsync)) {
    this.#sync = sync
  }

  /** Makes an open file durable, by a thread; rejects with an errno. */
  run(descriptor: number): Promise<null> {
    const turn = Promise.withResolvers<null>()
    this.#waiting.push({ descriptor, turn })
    if (!this.#isBusy) this.#goOn()
    return turn.promise
  }

  #goOn(): void {
    this.#isBusy = this.#waiting.length > 0
    if (!this.#isBusy) return
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
    this.#goOn()
  }
}
