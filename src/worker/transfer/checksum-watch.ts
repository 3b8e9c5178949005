/** Follows a download with the checksum that it has to have, so that little is left to hash at its end. */
import type { SluiceError } from '../../shared/errors.ts'
import { parseChecksum, verifyChecksum } from '../files/checksum.ts'
import { FrontHash } from '../files/front-hash.ts'
import type { PartialFile } from '../files/partial-file.ts'
import type { RangeTransfer } from './range-transfer.ts'

/** Smaller files are hashed at the end before a thread would have started. */
const leastBytes = 16 * 1024 * 1024

export class ChecksumWatch {
  #hash: FrontHash | null = null
  #expected: string | null = null

  /** A transfer begins that writes from `start` on: what was hashed beyond does not count any more. */
  begin(start: number): void {
    if (this.#hash !== null && start < this.#hash.told) this.drop()
  }

  /** Hashes what is settled by now; call at regular times while the transfer runs. */
  follow(expected: string | null, file: PartialFile, transfer: RangeTransfer): void {
    if (expected !== this.#expected) this.drop()
    if (expected === null) return
    // A connection may rewrite what another was through with first: what counts is what none can reach any more.
    const front = Math.min(file.front, transfer.lowestOpen)
    if (front < leastBytes) return
    this.#expected = expected
    this.#hash ??= new FrontHash(file.path, parseChecksum(expected).algorithm)
    this.#hash.advance(front)
  }

  /** What was hashed does not count any more: the file is begun anew, or goes back. */
  drop(): void {
    this.#hash?.stop()
    this.#hash = null
    this.#expected = null
  }

  /** Compares the whole file; null when it has the checksum. Throws the signal's reason or a storage trouble. */
  async verify(
    expected: string,
    path: string,
    length: number,
    signal: AbortSignal,
  ): Promise<SluiceError | null> {
    const hash = expected === this.#expected ? this.#hash : null
    const onAbort = () => hash?.stop()
    signal.addEventListener('abort', onAbort)
    try {
      const known = (await hash?.finish(length)) ?? null
      signal.throwIfAborted()
      return await verifyChecksum(path, expected, signal, known)
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.drop()
    }
  }
}
