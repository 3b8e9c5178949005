/**
 * The checksum of a file that is being filled, computed in a thread behind the part that is settled, so that the end
 * of a download does not wait for a second reading of the whole. It reads the file, not what was received: a write
 * that only claims to have worked is seen.
 */
import { basename, dirname, join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import type { HashThreadAnswer, HashThreadData, HashThreadOrder } from './hash-thread.ts'

/** New bytes between two messages to the thread. */
const stepBytes = 8 * 1024 * 1024

/** From source the TypeScript file itself; built, beside or one above the chunk that this code ended up in. */
function threadProgram(): string {
  const here = import.meta.dirname
  if (import.meta.filename.endsWith('.ts')) return join(here, 'hash-thread.ts')
  return join(basename(here) === 'chunks' ? dirname(here) : here, 'hash-thread.cjs')
}

export class FrontHash {
  readonly #thread: Worker
  readonly #answer: Promise<string | null>
  /** bytes that the thread was told of */
  told = 0

  /** `algorithm` is one that `crypto` knows. */
  constructor(path: string, algorithm: string) {
    const workerData: HashThreadData = { path, algorithm }
    // most downloads have no checksum
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    this.#thread = new Worker(threadProgram(), { workerData })
    this.#thread.unref()
    this.#answer = new Promise((resolve) => {
      this.#thread.on('message', ({ hex }: HashThreadAnswer) => resolve(hex))
      this.#thread.on('error', () => resolve(null))
      this.#thread.on('exit', () => resolve(null))
    })
  }

  /** All bytes below `front` are as they will stay. */
  advance(front: number): void {
    if (front - this.told < stepBytes) return
    this.#tell({ upTo: front, last: false })
  }

  /** The digest of the first `length` bytes as hex; null when the thread could not give it. */
  async finish(length: number): Promise<string | null> {
    this.#thread.ref()
    if (length < this.told) return null
    this.#tell({ upTo: length, last: true })
    return this.#answer
  }

  /** Ends the thread; a digest that is awaited is null. */
  stop(): void {
    void this.#thread.terminate()
  }

  #tell(order: HashThreadOrder): void {
    this.told = order.upTo
    this.#thread.postMessage(order)
  }
}
