/**
 * A file that is being filled out of order. It knows which bytes were written and which of those are durable:
 * a checkpoint names durable ones only (`fdatasync` first, then the record), and what an earlier one named is
 * believed only as far as the file reaches and its CRCs agree.
 */
import { constants, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Checkpoint } from '../../shared/task/resource.ts'
import type { RangeSet } from '../transfer/range-set.ts'
import { addRange, clipRanges, totalBytes } from '../transfer/range-set.ts'
import { codeOf, storageTrouble, Trouble, trouble } from '../transfer/trouble.ts'
import { openNew } from './new-file.ts'
import type { VolumeRoom } from './volume-room.ts'
import { smallFileBytes } from './volume-room.ts'
import { WritePace } from './write-pace.ts'

type RangesCheckpoint = Extract<Checkpoint, { kind: 'ranges' }>
export type Front = RangesCheckpoint['fronts'][number]

/** Bytes before each durable front that its CRC covers: enough to see a lost write, cheap enough for every tick. */
export const frontBytes = 256 * 1024

/** A part of the file that is to be written. */
interface Piece {
  readonly bytes: Buffer
  readonly position: number
  readonly turn: PromiseWithResolvers<null>
}

/** Pieces that one system call may write: as much as is written while the call's end is being heard of. */
const mostInARow = 8

export class PartialFile {
  readonly path: string
  /** bytes whose write was reported done */
  written: RangeSet = []
  /** bytes that survive a power cut */
  durable: RangeSet = []
  /** bytes of writes that are under way */
  inFlight = 0
  #handle: FileHandle
  readonly #pace: WritePace
  #length = 0
  /** writes that have not ended, in the order in which they were asked for */
  readonly #pending = new Set<Piece>()
  #writing = false
  #syncing: Promise<void> | null = null
  #closed = false

  private constructor(path: string, handle: FileHandle, pace: WritePace) {
    this.path = path
    this.#handle = handle
    this.#pace = pace
  }

  /** A fresh, empty file; what is there under this name (data without a checkpoint) is removed first. */
  static async create(path: string, pace = new WritePace()): Promise<PartialFile> {
    try {
      return new PartialFile(path, await openNew(path), pace)
    } catch (thrown) {
      throw storageTrouble(thrown, path)
    }
  }

  /** The file of a checkpoint with what of it can be believed; null when it is gone or not a plain file. */
  static async reopen(
    path: string,
    checkpoint: RangesCheckpoint,
    pace = new WritePace(),
  ): Promise<PartialFile | null> {
    let handle: FileHandle
    try {
      handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ELOOP') return null
      throw storageTrouble(thrown, path)
    }
    const file = new PartialFile(path, handle, pace)
    try {
      const stats = await handle.stat()
      if (!stats.isFile() || stats.nlink > 1) {
        await file.close()
        return null
      }
      file.#length = stats.size
      file.written = await file.#believable(checkpoint, stats.size)
      file.durable = file.written
      return file
    } catch (thrown) {
      await file.close()
      throw storageTrouble(thrown, path)
    }
  }

  /** min(recorded ranges, file size), and of those only the ones whose last bytes still have their CRC. */
  async #believable(checkpoint: RangesCheckpoint, size: number): Promise<RangeSet> {
    let believed: RangeSet = []
    const scratch = Buffer.allocUnsafe(frontBytes)
    for (const [start, end] of clipRanges(checkpoint.ranges, size)) {
      const front = checkpoint.fronts.find((candidate) => candidate.end === end)
      if (front === undefined || front.length < 1 || front.length > Math.min(frontBytes, end - start))
        continue
      if ((await this.#crcBefore(end, front.length, scratch)) === front.crc32)
        believed = addRange(believed, start, end)
    }
    return believed
  }

  /** Where the part ends that is there from the beginning without a gap, and that no write under way touches. */
  get front(): number {
    const [first] = this.written
    return Math.min(first?.[0] === 0 ? first[1] : 0, ...[...this.#pending].map((piece) => piece.position))
  }

  /** Bytes [start, end) as they are on disk; shorter when the file is. */
  async read(start: number, end: number): Promise<Buffer> {
    return this.#readInto(Buffer.allocUnsafe(end - start), start)
  }

  async #readInto(bytes: Buffer, start: number): Promise<Buffer> {
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, start + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  async #crcBefore(end: number, length: number, scratch: Buffer): Promise<number> {
    return crc32(await this.#readInto(scratch.subarray(0, length), end - length))
  }

  /**
   * Makes the file this long (sparse) after a look at the free space for what is still to come. A small one grows as it
   * is written: nothing of it comes out of order.
   */
  async reserve(length: number, room: VolumeRoom): Promise<void> {
    try {
      const needed = length - totalBytes(this.written)
      const freeBytes = await room.free(dirname(this.path), needed)
      if (freeBytes < needed) {
        throw trouble('storage', 'STORAGE_FULL', 'There is not enough space for the file', {
          details: { path: this.path, neededBytes: needed, freeBytes },
        })
      }
      if (length <= smallFileBytes || this.#length === length) return
      await this.#handle.truncate(length)
      this.#length = length
    } catch (thrown) {
      throw storageTrouble(thrown, this.path)
    }
  }

  async #setLength(length: number): Promise<void> {
    await this.#guarded(this.#handle.truncate(length))
    this.#length = length
  }

  /** Forgets all content. */
  async clear(): Promise<void> {
    await this.settle()
    await this.#setLength(0)
    this.written = []
    this.durable = []
  }

  /**
   * Writes bytes at a position, on the spot while the drive is quick and nothing waits; rejects with a storage `Trouble`.
   * The bytes must stay as they are until then. By threads one system call after the other: file systems let one writer
   * at a time into a file, and Linux has the others spin meanwhile, which on two cores took as much processor time as the
   * writing. What waits and lies in a row goes in one call, since handing one to a thread and hearing of its end takes as
   * long as writing half a slab.
   */
  write(bytes: Buffer, start: number, end: number, position: number): Promise<null> {
    const part = bytes.subarray(start, end)
    if (this.#pending.size === 0 && this.#pace.isQuick) {
      const problem = this.#writeOnTheSpot(part, position)
      return problem === null ? Promise.resolve(null) : Promise.reject(problem)
    }
    const piece = { bytes: part, position, turn: Promise.withResolvers<null>() }
    this.inFlight += part.length
    this.#pending.add(piece)
    if (!this.#writing) void this.#writePending()
    return piece.turn.promise
  }

  #writeOnTheSpot(bytes: Buffer, position: number): Trouble | null {
    let done = 0
    let problem: Trouble | null = null
    const write = () => writeSync(this.#handle.fd, bytes, done, bytes.length - done, position + done)
    try {
      while (done < bytes.length) done += this.#pace.onTheSpot(write)
    } catch (thrown) {
      problem = storageTrouble(thrown, this.path)
    }
    this.#wrote(position, position + done)
    return problem
  }

  #wrote(from: number, to: number): void {
    if (to > from) this.written = addRange(this.written, from, to)
    this.#length = Math.max(this.#length, to)
  }

  async #writePending(): Promise<void> {
    this.#writing = true
    for (let row = nextRow(this.#pending); row !== null; row = nextRow(this.#pending)) {
      const { writtenTo, problem } = await this.#writeRow(row)
      for (const piece of row) {
        this.inFlight -= piece.bytes.length
        this.#pending.delete(piece)
        if (piece.position + piece.bytes.length <= writtenTo) piece.turn.resolve(null)
        else piece.turn.reject(problem)
      }
    }
    this.#writing = false
  }

  /** Writes pieces that lie in a row; says up to where they are written, and what kept it from the rest. */
  async #writeRow(row: [Piece, ...Piece[]]): Promise<{ writtenTo: number; problem: Trouble | null }> {
    const from = row[0].position
    let buffers = row.map((piece) => piece.bytes)
    let at = from
    let problem: Trouble | null = null
    try {
      while (buffers.length > 0) {
        const { bytesWritten } = await this.#handle.writev(buffers, at)
        at += bytesWritten
        buffers = withoutFirst(bytesWritten, buffers)
      }
    } catch (thrown) {
      problem = storageTrouble(thrown, this.path)
    }
    this.#wrote(from, at)
    return { writtenTo: at, problem }
  }

  /** Waits until no write is under way, whatever became of them. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#pending].map((piece) => piece.turn.promise))
  }

  /**
   * Makes what is written durable; afterwards `durable` names it. After an error nothing since the last good
   * sync can be trusted (the kernel forgets which pages failed), so `written` falls back to `durable`.
   */
  async sync(): Promise<void> {
    await this.#syncWith(() => this.#handle.datasync())
  }

  async #syncWith(reach: () => Promise<void>): Promise<void> {
    while (this.#syncing !== null) await this.#syncing.catch(() => null)
    this.#syncing = this.#syncOnce(reach)
    try {
      await this.#syncing
    } finally {
      this.#syncing = null
    }
  }

  async #syncOnce(reach: () => Promise<void>): Promise<void> {
    const { written } = this
    try {
      await reach()
    } catch (thrown) {
      this.written = this.durable
      const problem = storageTrouble(thrown, this.path)
      throw problem.error.code === 'STORAGE_FULL' ? problem : new Trouble('damaged', problem.error)
    }
    this.durable = written
  }

  /** CRCs before each durable front, for a checkpoint. */
  async fronts(durable: RangeSet): Promise<Front[]> {
    const fronts: Front[] = []
    // One for all: sixteen fresh ones at each checkpoint would be garbage faster than it is collected.
    const scratch = Buffer.allocUnsafe(frontBytes)
    for (const [start, end] of durable) {
      const length = Math.min(frontBytes, end - start)
      fronts.push({ end, length, crc32: await this.#guarded(this.#crcBefore(end, length, scratch)) })
    }
    return fronts
  }

  /** Cuts it to its final length and syncs data and metadata: the last step before the file gets its name. */
  async finish(length: number): Promise<void> {
    if (this.#length !== length) await this.#setLength(length)
    await this.#syncWith(() => this.#handle.sync())
  }

  /** Renames it within its folder; the handle stays good. */
  async moveAside(to: string): Promise<void> {
    await this.#guarded(rename(this.path, to))
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.settle()
    await this.#handle.close().catch(() => null)
  }

  async #guarded<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation
    } catch (thrown) {
      throw storageTrouble(thrown, this.path)
    }
  }
}

/** The first of the pieces, and those of the others that follow it in the file; null when there are none. */
function nextRow(pending: ReadonlySet<Piece>): [Piece, ...Piece[]] | null {
  const [first, ...others] = pending
  if (first === undefined) return null
  const row: [Piece, ...Piece[]] = [first]
  let end = first.position + first.bytes.length
  for (const piece of others) {
    if (row.length === mostInARow) break
    if (piece.position !== end) continue
    row.push(piece)
    end += piece.bytes.length
  }
  return row
}

function withoutFirst(bytes: number, buffers: readonly Buffer[]): Buffer[] {
  let rest = bytes
  return buffers.flatMap((buffer) => {
    const gone = Math.min(rest, buffer.length)
    rest -= gone
    return gone === buffer.length ? [] : [buffer.subarray(gone)]
  })
}
