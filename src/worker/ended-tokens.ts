/**
 * The fence of a worker: attempts that have ended here, by token. What names one of them is stale, whatever it says.
 * Attempts of several tasks overlap, so the highest token seen says nothing about the others.
 */

/** The channel keeps its order, so that what is stale comes soon after the end or not at all. */
const remembered = 1024

export class EndedTokens {
  readonly #tokens = new Set<number>()

  add(token: number): void {
    this.#tokens.add(token)
    const [oldest] = this.#tokens
    if (this.#tokens.size > remembered && oldest !== undefined) this.#tokens.delete(oldest)
  }

  has(token: number): boolean {
    return this.#tokens.has(token)
  }
}
