/** One connection at work on one range: takes the bytes of a body and writes them where they belong. */
import type { PartialFile } from '../files/partial-file.ts'
import type { BodySink } from './body-sink.ts'
import type { OpenResource } from './opened.ts'
import type { Slab, SlabPool } from './slab-pool.ts'
import { slabBytes } from './slab-pool.ts'
import type { Trouble } from './trouble.ts'
import { trouble } from './trouble.ts'

/** A speed is a weighted mean over about this time, and over all the time there is while that is less. */
const meanMs = 700
/** Before a lane has flowed for this long its speed says nothing, and is 0. */
const unknownForMs = 100

/** Writes that each connection may have under way before it is told to wait, however many others there are. */
const ownWrites = 3
/** Bytes that a file may have under way before connections with their share of them are told to wait. */
const fileWriteBytes = 3 * 1024 * 1024

export interface LaneOwner {
  readonly file: PartialFile
  readonly slabs: SlabPool
  /** a write is done; null or what became of it */
  onWritten: (lane: Lane, problem: Trouble | null) => void
  /** the answer is at its end: whole, cut as told, or broken */
  onEnd: (lane: Lane, problem: Trouble | null) => void
}

export class Lane implements BodySink {
  readonly start: number
  /** exclusive; null while the length of the resource is unknown */
  end: number | null
  readonly slabBytes = slabBytes
  readonly controller = new AbortController()
  /** asks for a tail that another lane is on as well */
  readonly isDuplicate: boolean
  /** monotonic ms of the last sign of life */
  lastByteAt: number
  openedAt: number
  /** measured; 0 while it is not known */
  bytesPerSecond = 0
  resource: OpenResource | null = null
  /** file position up to which bytes were handed to writes */
  delivered: number
  readonly #owner: LaneOwner
  #inFlight = 0
  #waiting = false
  #seen = 0
  /** when the first bytes were seen, and how many there were: they may have waited in the system's buffers */
  #flowing: { fromMs: number; bytes: number } | null = null
  /** bytes that the file holds already and that the answer must repeat */
  #proof: Buffer | null = null
  #proofFailed = false

  constructor(
    owner: LaneOwner,
    range: { start: number; end: number | null },
    nowMs: number,
    isDuplicate: boolean,
  ) {
    this.#owner = owner
    this.start = range.start
    this.end = range.end
    this.delivered = range.start
    this.openedAt = nowMs
    this.lastByteAt = nowMs
    this.isDuplicate = isDuplicate
  }

  /** next byte to arrive */
  get next(): number {
    return this.start + (this.resource?.connection.bodyReceived ?? 0)
  }

  /** bytes that arrived and wait in a slab for their write */
  get buffered(): number {
    return this.next - this.delivered
  }

  get flows(): boolean {
    return this.resource !== null && this.resource.connection.bodyReceived > 0
  }

  /** Begins to receive. `bodyEnd`: file position where this answer ends; `proof`: bytes it must repeat first. */
  receive(
    resource: OpenResource,
    bodyEnd: number | null,
    proof: Buffer | null,
    meter: Parameters<OpenResource['receive']>[1],
  ) {
    this.resource = resource
    this.#proof = proof
    const stop = this.end === null ? bodyEnd : Math.min(this.end, bodyEnd ?? this.end)
    if (stop !== null) resource.connection.stopAfter(stop - this.start)
    resource.receive(this, meter)
  }

  /** Gives away what lies beyond `end`. */
  cut(end: number): void {
    this.end = end
    this.resource?.connection.stopAfter(end - this.start)
  }

  /** Measures; call at regular times. */
  measure(nowMs: number, elapsedMs: number): void {
    const received = this.resource?.connection.bodyReceived ?? 0
    const fresh = received - this.#seen
    this.#seen = received
    if (fresh > 0 || this.resource?.connection.waits === true) this.lastByteAt = nowMs
    if (received === 0) return
    this.#flowing ??= { fromMs: nowMs, bytes: received }
    const age = nowMs - this.#flowing.fromMs
    if (age < unknownForMs) return
    if (age < meanMs) {
      this.bytesPerSecond = ((received - this.#flowing.bytes) * 1000) / age
    } else {
      const weight = 1 - Math.exp(-elapsedMs / meanMs)
      this.bytesPerSecond += weight * ((fresh * 1000) / Math.max(1, elapsedMs) - this.bytesPerSecond)
    }
  }

  /** Bytes per second over its life, however short. */
  meanSpeed(nowMs: number): number {
    return Math.max(
      this.bytesPerSecond,
      ((this.delivered - this.start) * 1000) / Math.max(1, nowMs - this.openedAt),
    )
  }

  flush(): void {
    this.resource?.connection.flush()
  }

  /** Lets a waiting connection go on if there is room again. */
  wake(): void {
    if (!this.#waiting || this.#hasEnough) return
    this.#waiting = false
    this.resource?.connection.resume()
  }

  /** Closes at once; what arrived is handed to writes first. `onEnd` is not called. */
  abandon(): void {
    this.flush()
    this.controller.abort()
    this.resource?.connection.destroy()
  }

  data(slab: Slab, start: number, end: number): boolean {
    const from = this.#checkProof(slab.bytes, start, end)
    const position = this.delivered + (from - start)
    this.delivered += end - start
    if (from < end && !this.#proofFailed) this.#write(slab, from, end, position)
    this.#waiting = this.#hasEnough
    return !this.#waiting
  }

  get #hasEnough(): boolean {
    const { file, slabs } = this.#owner
    return (this.#inFlight >= ownWrites && file.inFlight >= fileWriteBytes) || slabs.exhausted
  }

  ended(problem: Trouble | null): void {
    this.#owner.onEnd(this, this.#proofFailed ? changedTrouble() : problem)
  }

  #write(slab: Slab, start: number, end: number, position: number): void {
    this.#owner.slabs.retain(slab)
    this.#inFlight += 1
    const done = (problem: Trouble | null) => {
      this.#owner.slabs.release(slab)
      this.#inFlight -= 1
      this.#owner.onWritten(this, problem)
      this.wake()
    }
    this.#owner.file.write(slab.bytes, start, end, position).then(
      () => done(null),
      (problem: unknown) => done(problem as Trouble),
    )
  }

  /** Compares the overlap; returns where fresh bytes begin. */
  #checkProof(bytes: Buffer, start: number, end: number): number {
    const proof = this.#proof
    if (proof === null) return start
    const count = Math.min(end - start, proof.length)
    if (!bytes.subarray(start, start + count).equals(proof.subarray(0, count))) {
      this.#proofFailed = true
      this.resource?.connection.stopAfter(0)
    }
    this.#proof = count === proof.length ? null : proof.subarray(count)
    return start + count
  }
}

/** The host has another version of the resource than the one whose bytes are held. */
export function changedTrouble(): Trouble {
  return trouble('changed', 'REMOTE_CHANGED', 'The file on the host is not the one that was begun')
}
