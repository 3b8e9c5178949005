/**
 * The file that mediabunny writes to: what comes piece by piece is gathered in slabs that are used again, and
 * whole slabs are written by position, one after the other. mediabunny's own targets copy every byte three times
 * into fresh memory (measured on 500 MB: twice the time, 150 MB more). Its `Target` is made to be extended but
 * says so only in its sources: the names with a leading underscore are those of the pinned version, and the
 * tests of the mux step fail at once when a newer one calls them differently.
 */
import type { FileHandle } from 'node:fs/promises'
import { Target } from 'mediabunny'

const slabBytes = 1 << 20
/** slabs on their way to the disk before the muxer has to wait */
const mostWaiting = 3

export class OutputFile extends Target {
  readonly #handle: FileHandle
  #slab: Uint8Array = new Uint8Array(slabBytes)
  /** position of the slab in the file, and how much of it is filled */
  #base = 0
  #filled = 0
  /** end of the furthest write */
  #end = 0
  readonly #spare: Uint8Array[] = []
  readonly #waiting: Promise<void>[] = []
  #last: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | null = null

  /** The handle stays its owner's: it is not closed here. */
  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }

  _start(): void {
    // the file is open already
  }

  _write(data: Uint8Array, position: number): void {
    const within = position - this.#base
    // muxers go back to fill in a size: mostly of something that has not left the slab
    if (within >= 0 && within + data.length <= this.#filled) {
      this.#slab.set(data, within)
      return
    }
    if (within !== this.#filled) this.#moveTo(position)
    for (let at = 0; at < data.length;) {
      const part = data.subarray(at, at + slabBytes - this.#filled)
      this.#slab.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === slabBytes) this.#send()
    }
    this.#end = Math.max(this.#end, position + data.length)
  }

  /** Room that is left for a size stays in the slab; the same step over bytes that are in the file must not. */
  #moveTo(position: number): void {
    const within = position - this.#base
    if (this.#base + this.#filled === this.#end && within > this.#filled && within < slabBytes) {
      this.#slab.fill(0, this.#filled, within)
      this.#filled = within
      return
    }
    this.#send()
    this.#base = position
  }

  async _flush(): Promise<void> {
    while (this.#waiting.length > mostWaiting) await this.#waiting[0]
    this.#throwFailure()
  }

  async _finalize(): Promise<void> {
    this.#send()
    await this.#last
    this.#throwFailure()
  }

  async _close(): Promise<void> {
    await this.#last
  }

  /** Hands the slab to the disk, behind those before it: a later write may cover an earlier one. */
  #send(): void {
    if (this.#filled === 0) return
    const slab = this.#slab
    const [position, length] = [this.#base, this.#filled]
    this.#slab = this.#spare.pop() ?? new Uint8Array(slabBytes)
    this.#base += length
    this.#filled = 0
    this.#last = this.#last.then(() => this.#store(slab, length, position))
    this.#waiting.push(this.#last)
  }

  async #store(slab: Uint8Array, length: number, position: number): Promise<void> {
    try {
      for (let done = 0; done < length && this.#failure === null;) {
        const { bytesWritten } = await this.#handle.write(slab, done, length - done, position + done)
        done += bytesWritten
      }
    } catch (error) {
      this.#failure ??= { error }
    }
    void this.#waiting.shift()
    this.#spare.push(slab)
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}
