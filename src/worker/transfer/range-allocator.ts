/**
 * Hands the ranges of a file to connections. Every byte that is missing belongs to one at a time: it is left over here,
 * or lies within the range of one lane. Only duplicates, near the end, fetch what another lane is on as well.
 */
import type { Lane } from './lane.ts'
import type { ByteRange, RangeSet } from './range-set.ts'
import { missingRanges } from './range-set.ts'
import { chooseCuts, chooseTail, typicalSpeed } from './splitting.ts'

/** A range for a free connection: [start, end). */
export interface Piece {
  readonly start: number
  readonly end: number
  /** another lane is on it */
  readonly isDuplicate: boolean
}

/** A lane as far as its range matters. */
type Holder = Pick<Lane, 'next' | 'delivered' | 'end' | 'bytesPerSecond' | 'flows' | 'isDuplicate' | 'cut'>

export class RangeAllocator {
  readonly #largestPiece: number
  /** ranges that no lane works on, ascending */
  #leftOver: RangeSet = []
  /** speed of the connection that was through last: what a free one is taken to do */
  #freeSpeed = 0
  /** from asking for a range to its answer: mean of those seen, the latest counting most */
  #setUpSeconds = 0.05

  /** `largestPiece`: bytes that one request may ask for. */
  constructor(largestPiece: number) {
    this.#largestPiece = largestPiece
  }

  /** A connection was through with its range at this speed. */
  sawSpeed(bytesPerSecond: number): void {
    this.#freeSpeed = bytesPerSecond
  }

  /** The answer to a request for a range took so long. */
  sawSetUp(seconds: number): void {
    this.#setUpSeconds = (this.#setUpSeconds + seconds) / 2
  }

  /** No lane works on [start, end) any more, of which the file holds what is written. */
  leave(start: number, end: number, written: RangeSet): void {
    const missing = missingRanges(written, start, end)
    this.#leftOver = [...this.#leftOver, ...missing].sort((a, b) => a[0] - b[0])
  }

  /** The first piece that no lane works on; null when there is none. */
  take(): Piece | null {
    const [first, ...rest] = this.#leftOver
    if (first === undefined) return null
    const [start, upTo] = first
    const end = Math.min(upTo, start + this.#largestPiece)
    const beyond: ByteRange[] = end < upTo ? [[end, upTo]] : []
    this.#leftOver = [...beyond, ...rest]
    return { start, end, isDuplicate: false }
  }

  /**
   * Takes pieces from lanes, which are cut, for so many free connections; near the end these ask for what slow lanes
   * have left again. Fewer pieces where more would win no time.
   */
  takeFrom(lanes: Iterable<Holder>, count: number): Piece[] {
    const all = [...lanes]
    const views = all.filter((lane) => lane.end !== null && !lane.isDuplicate).map(view)
    const free = {
      count,
      bytesPerSecond: Math.max(typicalSpeed(views), this.#freeSpeed),
      setUpSeconds: this.#setUpSeconds,
    }
    const pieces = chooseCuts(views, free).map(({ lane: { lane }, start, end }): Piece => {
      lane.cut(Math.min(start, lane.end ?? start))
      return { start, end, isDuplicate: false }
    })
    const raced = new Set(all.filter((lane) => lane.isDuplicate).map((lane) => lane.end))
    while (pieces.length < count) {
      const waiting = views.filter(({ lane, end }) => lane.flows && lane.end === end && !raced.has(end))
      const tail = chooseTail(waiting, free)
      if (tail === null) break
      raced.add(tail.end)
      pieces.push({ start: tail.lane.delivered, end: tail.end, isDuplicate: true })
    }
    return pieces
  }
}

function view(lane: Holder) {
  return { lane, next: lane.next, end: lane.end ?? lane.next, bytesPerSecond: lane.bytesPerSecond }
}
