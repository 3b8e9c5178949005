/** What a connection delivers a body to, and what may slow it down. */
import type { Slab } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'

/** Takes the bytes of a body. */
export interface BodySink {
  /** size of the slabs to receive into */
  readonly slabBytes: number
  /**
   * The next bytes of the body: slab[start, end). A sink that keeps them beyond the call retains the slab.
   * Returns false to be sent no more (as far as TLS allows) until `resume`.
   */
  data(slab: Slab, start: number, end: number): boolean
  /** Exactly once: the body is whole (or was cut by `stopAfter`), or what went wrong. */
  ended(problem: Trouble | null): void
}

/** Counts bytes as they arrive; answers how many ms to wait before reading on (0: not at all). */
export interface Meter {
  spend(bytes: number): number
  /** most bytes to read at once, so that a limit is kept smoothly */
  readSize(): number
}
