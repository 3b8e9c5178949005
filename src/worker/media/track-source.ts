/**
 * Reads a local file for mediabunny: one window is looked into while the next one is on its way, and their
 * buffers are used again. mediabunny's own file source reads packet by packet into buffers of their own, which
 * takes three times as long and leaves hundreds of megabytes to the garbage collector.
 */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { CustomSource } from 'mediabunny'
import { SluiceError } from '../../shared/errors.ts'

const windowBytes = 1 << 20

/** Part of the file: `bytes` from `start` on, as far as `end`. */
interface Window {
  start: number
  end: number
  bytes: Uint8Array
}

const nothing: Window = { start: 0, end: 0, bytes: new Uint8Array(0) }

export class WindowedFile {
  readonly #handle: FileHandle
  readonly size: number
  #current: Window = nothing
  #ahead: { start: number; loaded: Promise<Window> } | null = null
  readonly #spare: Uint8Array[] = []
  /** reads that need the disk take turns, since they move the window */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  /**
   * Bytes [start, end). What is answered at once is a view that is good until the next read; whoever reads has
   * copied it by then (the source keeps no cache of its own).
   */
  read(start: number, end: number): Uint8Array | Promise<Uint8Array> {
    const { start: from, end: to, bytes } = this.#current
    if (from <= start && end <= to) return bytes.subarray(start - from, end - from)
    const read = this.#turn.then(() => this.#readSlowly(start, end))
    this.#turn = read.catch(() => null)
    return read
  }

  async #readSlowly(start: number, end: number): Promise<Uint8Array> {
    const result = new Uint8Array(end - start)
    for (let at = start; at < end;) {
      if (at < this.#current.start || at >= this.#current.end) await this.#moveTo(at)
      const { start: from, end: to, bytes } = this.#current
      const part = bytes.subarray(at - from, Math.min(end, to) - from)
      result.set(part, at - start)
      at += part.length
    }
    return result
  }

  /** Moves the window; one that follows the last is a sign of reading in order, so the next one is fetched too. */
  async #moveTo(at: number): Promise<void> {
    const inOrder = at === this.#current.end && at > 0
    const ahead = this.#ahead
    this.#ahead = null
    const arrived = ahead === null ? null : await ahead.loaded
    if (arrived !== null && arrived.start !== at) this.#spare.push(arrived.bytes)
    const window = arrived?.start === at ? arrived : await this.#load(at)
    if (this.#current.bytes.length > 0) this.#spare.push(this.#current.bytes)
    this.#current = window
    if (!inOrder || window.end >= this.size) return
    const loaded = this.#load(window.end)
    // when nobody comes for it, its failure is nobody's
    loaded.catch(() => null)
    this.#ahead = { start: window.end, loaded }
  }

  async #load(start: number): Promise<Window> {
    const bytes = this.#spare.pop() ?? new Uint8Array(windowBytes)
    const length = Math.min(windowBytes, this.size - start)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, start + filled)
      if (bytesRead === 0) throw new SluiceError('MUX_ERROR', 'A track became shorter while it was read')
      filled += bytesRead
    }
    return { start, end: start + length, bytes }
  }
}

/** Opens a local file; disposing the `Input` that gets the source closes it. Rejects with the errno of the disk. */
export async function openTrackSource(path: string): Promise<CustomSource> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const file = new WindowedFile(handle, size)
    return new CustomSource({
      getSize: () => size,
      read: (start, end) => file.read(start, end),
      dispose: () => void handle.close().catch(() => null),
      maxCacheSize: 0,
      prefetchProfile: 'none',
    })
  } catch (error) {
    await handle.close()
    throw error
  }
}
