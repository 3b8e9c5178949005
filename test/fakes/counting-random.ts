import type { Random } from '../../src/core/ports.ts'

/** Ids that read well and chance that repeats. */
export class CountingRandom implements Random {
  #count: number
  readonly #prefix: string

  constructor(prefix = 'id', start = 0) {
    this.#prefix = prefix
    this.#count = start
  }

  id(): string {
    return `${this.#prefix}${++this.#count}`
  }

  fraction(): number {
    this.#count++
    return (this.#count * 0.618_033_988_749_895) % 1
  }
}
