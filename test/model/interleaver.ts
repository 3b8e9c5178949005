/**
 * Permutes interleavings: calls of ports wait for their turn, and whose turn it is next is drawn by a seed. Without a
 * seed every turn comes at once, in order.
 */
import { settled } from '../fakes/fake-clock.ts'

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function drawsOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export class Interleaver {
  readonly #draw: (() => number) | null
  readonly #waiting: (() => void)[] = []

  constructor(seed: number | null) {
    this.#draw = seed === null ? null : drawsOf(seed)
  }

  /** Resolves when it is this call's turn. */
  turn(): Promise<void> {
    if (this.#draw === null) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** A few turns only: then something else happens in the middle of it. */
  async some(turns: number): Promise<void> {
    await settled()
    for (let left = turns; left > 0 && this.#waiting.length > 0; left--) await this.#next()
  }

  /** Whoever waited is gone. */
  forget(): void {
    this.#waiting.length = 0
  }

  async #next(): Promise<void> {
    const place = Math.floor((this.#draw?.() ?? 0) * this.#waiting.length)
    const [next] = this.#waiting.splice(place, 1)
    next?.()
    await settled()
  }

  /** Lets everything that can go on do so, one turn at a time. */
  readonly settle = async (): Promise<void> => {
    await settled()
    while (this.#waiting.length > 0) await this.#next()
  }
}
