/**
 * The buffers that bodies arrive in. One pool per worker: slabs are large (whole ones are written by position)
 * and reused, so a transfer allocates nothing while it runs.
 */
import { ReadTurn } from './read-turn.ts'

/** A buffer of the pool with a count of who still uses it. */
export interface Slab {
  readonly bytes: Buffer
  /** users: the connection that fills it and each write that is under way */
  users: number
}

/**
 * What a body arrives in. Smaller ones are still in the processor's cache when they are written, and what waits is
 * written several at a time anyway; below this size the calls for each begin to count.
 */
export const slabBytes = 256 * 1024
/** of those taken while half of the pool is in use; a quarter of it beyond three quarters */
const crowdedSlabBytes = 128 * 1024
/** Bytes of all slabs in use beyond which receivers are asked to wait. */
export const poolCapBytes = 32 * 1024 * 1024

export class SlabPool {
  /** the time for reading, which those who receive share like the slabs */
  readonly turn = new ReadTurn()
  readonly #capBytes: number
  readonly #free = new Map<number, Buffer[]>()
  readonly #waiting = new Set<() => void>()
  #usedBytes = 0

  constructor(capBytes = poolCapBytes) {
    this.#capBytes = capBytes
  }

  /** bytes of all slabs that are in use */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** True while receivers should stop reading until slabs come back. */
  get exhausted(): boolean {
    return this.#usedBytes >= this.#capBytes
  }

  /**
   * A slab with one user, not larger than wanted. Never refuses: TLS goes on delivering after it was told to stop, so
   * there must always be room; `exhausted` tells the caller to pause.
   */
  take(wanted: number): Slab {
    const size = Math.min(wanted, this.#mostBytes())
    this.#usedBytes += size
    const bytes = this.#free.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size)
    return { bytes, users: 1 }
  }

  /**
   * Each connection holds a slab that it fills. Where attempts share the worker there may be so many of them that
   * full-sized ones would use the pool up, and all would wait for each other.
   */
  #mostBytes(): number {
    if (this.#usedBytes < this.#capBytes / 2) return slabBytes
    return this.#usedBytes < (this.#capBytes * 3) / 4 ? crowdedSlabBytes : crowdedSlabBytes / 4
  }

  retain(slab: Slab): void {
    slab.users += 1
  }

  release(slab: Slab): void {
    slab.users -= 1
    if (slab.users > 0) return
    const size = slab.bytes.length
    this.#usedBytes -= size
    const free = this.#free.get(size) ?? []
    this.#free.set(size, free)
    // Only as many spare slabs are kept as one busy transfer needs; the rest goes back to the system.
    if (free.length * size < this.#capBytes / 2) free.push(slab.bytes)
    if (!this.exhausted) {
      for (const wake of [...this.#waiting]) wake()
    }
  }

  /** Calls back whenever the pool is not exhausted any more; returns the function that ends it. */
  onRoom(wake: () => void): () => void {
    this.#waiting.add(wake)
    return () => this.#waiting.delete(wake)
  }
}
