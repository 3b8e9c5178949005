/**
 * Fencing tokens, in blocks: a block is durable before the first of its tokens is given, and what is left of it when
 * the process ends is never given. So one write serves many attempts, and tokens rise for ever all the same.
 */
import type { Connection } from './connection.ts'
import { DamagedDatabase } from './storage-error.ts'

const blockSize = 100

export class TokenRecords {
  readonly #reserve
  /** of the block: the token given last, and its last one */
  #given = 0
  #last = 0

  constructor(db: Connection) {
    this.#reserve = db
      .prepare<[], number>(
        `UPDATE meta SET value = value + ${blockSize} WHERE name = 'token' RETURNING value`,
      )
      .pluck()
  }

  /** Whether the next token comes out of a block that is durable already. */
  get hasNext(): boolean {
    return this.#given < this.#last
  }

  /** The caller answers with it only after the commit of its transaction. */
  next(): number {
    if (!this.hasNext) {
      const last = this.#reserve.get()
      if (last === undefined) throw new DamagedDatabase('the fencing token is gone')
      this.#last = last
      this.#given = last - blockSize
    }
    return ++this.#given
  }

  /** The transaction failed: a block that was reserved in it is not durable. */
  forget(): void {
    this.#given = this.#last
  }
}
