/**
 * The bytes that a connection received before somebody takes its body: heads, and the beginnings of bodies. Grows
 * as needed, since TLS delivers what it has decrypted whether it is wanted or not.
 */

/** Room that a reader is always given. */
const leastRoom = 8 * 1024

export class HeldBytes {
  #bytes = Buffer.allocUnsafe(16 * 1024)
  #start = 0
  #end = 0

  get length(): number {
    return this.#end - this.#start
  }

  /** The bytes, as they lie here: good until the next call that changes them. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end)
  }

  /** Where the next bytes may be put; whoever does says so by `keep`. */
  room(): Buffer {
    if (this.#bytes.length - this.#end < leastRoom) this.#grow(leastRoom)
    return this.#bytes.subarray(this.#end)
  }

  /** Adds bytes, which may lie in `room` already, though not always at its present place. */
  keep(bytes: Buffer): void {
    if (this.#bytes.length - this.#end < bytes.length) this.#grow(bytes.length)
    bytes.copy(this.#bytes, this.#end)
    this.#end += bytes.length
  }

  /** Drops the first `count` bytes. */
  drop(count: number): void {
    this.#start += count
  }

  /** Gives up all bytes; they stay readable until the next ones are kept. */
  takeAll(): Buffer {
    const all = this.view()
    this.#start = 0
    this.#end = 0
    return all
  }

  #grow(room: number): void {
    const held = this.view()
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, held.length + room * 2))
    held.copy(grown)
    this.#bytes = grown
    this.#end -= this.#start
    this.#start = 0
  }
}
