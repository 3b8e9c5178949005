/**
 * Secret values encrypted at rest by a key of the data folder (`secret-key.ts`). It protects a copied or published
 * database, not against the user's own programs.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { SecretStore } from '../core/ports.ts'
import { SluiceError } from '../shared/errors.ts'
import { isSealed, sealedPrefix } from '../shared/sealed.ts'

const cipher = 'aes-256-gcm'
/** as NIST SP 800-38D recommends for GCM */
const nonceBytes = 12
const tagBytes = 16

export class KeyedSecretStore implements SecretStore {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]]

  /** The first key seals; what any of them sealed is opened. */
  constructor(keys: readonly [Uint8Array, ...Uint8Array[]]) {
    this.#keys = keys
  }

  seal(plain: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#keys[0], nonce)
    const sealed = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()])
    return sealedPrefix + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url')
  }

  /** @throws SluiceError `AUTH_FAILED` when it was sealed by another key, or changed since */
  open(sealed: string): string {
    let cause: unknown = new Error('the value is not a sealed one')
    if (isSealed(sealed)) {
      for (const key of this.#keys) {
        try {
          return opened(sealed, key)
        } catch (error) {
          cause = error
        }
      }
    }
    throw new SluiceError('AUTH_FAILED', 'A stored secret can no longer be read', {
      hint: 'Give the headers or the sign-in of this task again.',
      cause,
    })
  }
}

function opened(sealed: string, key: Uint8Array): string {
  const bytes = Buffer.from(sealed.slice(sealedPrefix.length), 'base64url')
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
  opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const plain = opening.update(bytes.subarray(nonceBytes + tagBytes))
  return Buffer.concat([plain, opening.final()]).toString('utf8')
}
