/**
 * Deterministic bodies: every byte is a function of (seed, offset), so any range of a body of any length can be
 * made, served and checked without holding it. Two seeds differ almost everywhere.
 */
import { createHash } from 'node:crypto'

/** Bytes that exist as a rule: `read` makes any range of them. */
export interface Body {
  readonly length: number
  /** The bytes [start, end); the range lies within the body. */
  read(start: number, end: number): Buffer
}

/** A body of `length` bytes made from `seed`; offsets up to 2^53 work, nothing is held in memory. */
export function seededBody(length: number, seed = 1): Body {
  return { length, read: (start, end) => seededBytes(seed, start, end) }
}

/** A body of exactly these bytes. */
export function fixedBody(bytes: Uint8Array | string): Body {
  const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : Buffer.from(bytes)
  return { length: buffer.length, read: (start, end) => buffer.subarray(start, end) }
}

const wordsPerEpoch = 2 ** 32

/** One 32-bit word of the stream: a finalizer in the manner of murmur over the word's index. */
function mix(seed: number, index: number): number {
  let x = Math.imul((index >>> 0) ^ seed, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) >>> 0
}

/** The bytes [start, end) of the seeded stream. */
export function seededBytes(seed: number, start: number, end: number): Buffer {
  const firstWord = Math.floor(start / 4)
  const words = Math.ceil(end / 4) - firstWord
  const filled = new Uint32Array(Math.max(0, words))
  const base = mix(0x5bd1e995, seed)
  for (let i = 0; i < words; i++) {
    const index = firstWord + i
    const epoch = Math.floor(index / wordsPerEpoch)
    filled[i] = mix(base + epoch, index)
  }
  const offset = start - firstWord * 4
  return Buffer.from(filled.buffer, offset, Math.max(0, end - start))
}

/** SHA-256 of a whole body, as lower-case hex. */
export function sha256Of(body: Body): string {
  const hash = createHash('sha256')
  const step = 1024 * 1024
  for (let at = 0; at < body.length; at += step) {
    hash.update(body.read(at, Math.min(body.length, at + step)))
  }
  return hash.digest('hex')
}
