/**
 * Fencing tokens, in blocks: a block is durable before the first of its tokens is given, and what is left of it when
 * the process ends is never given. So one write serves many attempts, and tokens rise for ever all the same.
 */
import type { Connection } from './connection.ts'
import { DamagedDatabase } from './storage-error.ts'

const blockSize = 100

/** Of a block: the token before its first one, and its last one. */
export interface TokenBlock {
  given: number
  readonly last: number
}

export class TokenRecords {
  readonly #reserve

  constructor(db: Connection) {
    this.#reserve = db
      .prepare<[], number>(
        `UPDATE meta SET value = value + ${blockSize} WHERE name = 'token' RETURNING value`,
      )
      .pluck()
  }

  /** The caller answers with it only after the commit of its transaction. */
  reserve(): TokenBlock {
    const last = this.#reserve.get()
    if (last === undefined) throw new DamagedDatabase('the fencing token is gone')
    return { given: last - blockSize, last }
  }
}

/**
 * Gives the tokens of one block after another where they are needed: an attempt that had to ask the database for its
 * token would wait for whatever is at the disk. A recovery of the database skips more than what is left here.
 */
export class TokenGiver {
  readonly #reserve: () => Promise<TokenBlock>
  #block: TokenBlock = { given: 0, last: 0 }
  #reserving: Promise<void> | null = null

  constructor(reserve: () => Promise<TokenBlock>) {
    this.#reserve = reserve
  }

  async next(): Promise<number> {
    while (this.#block.given === this.#block.last) {
      this.#reserving ??= this.#refill()
      await this.#reserving
    }
    return ++this.#block.given
  }

  async #refill(): Promise<void> {
    try {
      this.#block = await this.#reserve()
    } finally {
      this.#reserving = null
    }
  }
}
