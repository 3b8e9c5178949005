/**
 * `Idempotency-Key`: the same key answers what it answered the first time and does nothing again, so that a client
 * whose connection broke may simply ask once more.
 */
import { createHash } from 'node:crypto'
import { SluiceError } from '../../shared/errors.ts'
import type { RestAnswer } from './route.ts'

/** Keys that are remembered; beyond that the oldest is forgotten. */
const mostKeys = 1000
const longestKey = 200

interface Remembered {
  request: string
  answer: Promise<RestAnswer>
}

export class RepeatedRequests {
  readonly #byKey = new Map<string, Remembered>()

  /** @throws SluiceError `INVALID_INPUT` for a key that is none, `CONFLICT` for one that was of another request */
  once(key: string | undefined, body: unknown, act: () => Promise<RestAnswer>): Promise<RestAnswer> {
    if (key === undefined) return act()
    if (key === '' || key.length > longestKey) {
      throw new SluiceError('INVALID_INPUT', 'The Idempotency-Key is empty or too long')
    }
    const request = createHash('sha256').update(JSON.stringify(body)).digest('base64')
    const known = this.#byKey.get(key)
    if (known !== undefined) {
      if (known.request === request) return known.answer
      throw new SluiceError('CONFLICT', 'This Idempotency-Key was of another request', {
        hint: 'Make a new key for each download.',
      })
    }
    const answer = act()
    this.#byKey.set(key, { request, answer })
    // what was refused may be tried again under the same key
    answer.catch(() => this.#byKey.delete(key))
    const [oldest] = this.#byKey.keys()
    if (this.#byKey.size > mostKeys && oldest !== undefined) this.#byKey.delete(oldest)
    return answer
  }
}
