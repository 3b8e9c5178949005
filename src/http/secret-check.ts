/**
 * Whether a given secret is the host's. The comparison takes the same time whatever was given: both sides are
 * brought to digests of equal length under a key that nobody knows. An address that guesses is stopped.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/ports.ts'

/** Wrong secrets per address within the period before it has to wait. */
export const wrongSecretsAllowed = 10
const periodMs = 60_000
/** Addresses that are remembered; beyond that the oldest is forgotten, so that memory stays bounded. */
const mostAddresses = 10_000

export type SecretVerdict =
  { kind: 'right' } | { kind: 'missing' } | { kind: 'wrong' } | { kind: 'limited'; retryAfterSeconds: number }

export class SecretCheck {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #key = randomBytes(32)
  /** monotonic ms of the wrong secrets of the last period, by address */
  readonly #wrong = new Map<string, number[]>()
  #digest: Buffer

  constructor(secret: string, clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
    this.#digest = this.#digestOf(secret)
  }

  /** From now on this secret counts and no other. */
  replace(secret: string): void {
    this.#digest = this.#digestOf(secret)
  }

  /** `given` undefined: none was given, which is no guess. A limited address is not even compared. */
  check(given: string | undefined, address: string): SecretVerdict {
    const now = this.#clock.monotonic()
    const wrong = (this.#wrong.get(address) ?? []).filter((at) => now - at < periodMs)
    const oldest = wrong[0]
    if (oldest !== undefined && wrong.length >= wrongSecretsAllowed) {
      return { kind: 'limited', retryAfterSeconds: Math.ceil((oldest + periodMs - now) / 1000) }
    }
    if (given === undefined) return { kind: 'missing' }
    if (timingSafeEqual(this.#digestOf(given), this.#digest)) return { kind: 'right' }
    this.#remember(address, [...wrong, now])
    return { kind: 'wrong' }
  }

  #remember(address: string, wrong: number[]): void {
    this.#wrong.delete(address)
    this.#wrong.set(address, wrong)
    const [first] = this.#wrong.keys()
    if (this.#wrong.size > mostAddresses && first !== undefined) this.#wrong.delete(first)
  }

  #digestOf(secret: string): Buffer {
    return createHmac('sha256', this.#key).update(secret).digest()
  }
}
