/**
 * Decoder of the chunked transfer coding (RFC 9112 section 7.1), in place: the data of the chunks is moved
 * together inside the buffer it arrived in, so no byte is copied into a second one.
 */
import { protocolTrouble } from './trouble.ts'

/** Bytes of one chunk-size line with extensions, and of the whole trailer section. */
export const maxChunkLineBytes = 4096
export const maxTrailerBytes = 16 * 1024

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'done'

export class ChunkedDecoder {
  #state: State = 'size'
  /** bytes of the present chunk that are still to come */
  #left = 0
  /** the present line, without its end */
  #line = ''
  #trailerBytes = 0

  get done(): boolean {
    return this.#state === 'done'
  }

  /**
   * Decodes bytes[from, to) and moves the data to `from`. Returns where the data ends now, and how many bytes
   * were used up (less than given only after the end). Throws `Trouble` for what the grammar does not allow.
   */
  decode(bytes: Buffer, from: number, to: number): { dataEnd: number; used: number } {
    let dataEnd = from
    let at = from
    while (at < to && this.#state !== 'done') {
      if (this.#state === 'data') {
        const count = Math.min(this.#left, to - at)
        if (dataEnd !== at) bytes.copyWithin(dataEnd, at, at + count)
        dataEnd += count
        at += count
        this.#left -= count
        if (this.#left === 0) this.#state = 'data-end'
      } else {
        at = this.#takeLine(bytes, at, to)
      }
    }
    return { dataEnd, used: at - from }
  }

  /** Reads up to the end of a line; acts when it is whole. Returns where it stopped. */
  #takeLine(bytes: Buffer, from: number, to: number): number {
    const lineFeed = bytes.subarray(from, to).indexOf(10)
    const end = lineFeed < 0 ? to : from + lineFeed + 1
    this.#line += bytes.toString('latin1', from, end)
    if (this.#line.length > maxChunkLineBytes) throw protocolTrouble('a chunk line that is too long')
    if (lineFeed < 0) return end
    if (!this.#line.endsWith('\r\n')) throw protocolTrouble('a chunk line that ends without CR')
    const line = this.#line.slice(0, -2)
    this.#line = ''
    this.#endLine(line)
    return end
  }

  #endLine(line: string): void {
    if (line.includes('\r')) throw protocolTrouble('a bare CR in a chunk line')
    if (this.#state === 'data-end') {
      if (line !== '') throw protocolTrouble('a chunk longer than its size')
      this.#state = 'size'
    } else if (this.#state === 'size') {
      const match = /^([0-9A-Fa-f]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line)
      if (match?.[1] === undefined) throw protocolTrouble('an unreadable chunk size')
      this.#left = Number.parseInt(match[1], 16)
      this.#state = this.#left === 0 ? 'trailer' : 'data'
    } else {
      // Trailers are read and dropped: nothing here may change the framing after the fact.
      this.#trailerBytes += line.length + 2
      if (this.#trailerBytes > maxTrailerBytes) throw protocolTrouble('trailers that are too large')
      if (line === '') this.#state = 'done'
    }
  }
}
