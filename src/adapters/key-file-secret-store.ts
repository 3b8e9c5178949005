/**
 * Secret values encrypted at rest by a key in a file of the data folder that only the user can read: what hosts have
 * that know no key store of the system. It protects a copied or published database, not against the user's own
 * programs.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { SecretStore } from '../core/ports.ts'
import { SluiceError } from '../shared/errors.ts'
import { fileError, isMissing } from './file-errors.ts'
import { syncFolderNow } from './sync-folder.ts'

const cipher = 'aes-256-gcm'
const keyBytes = 32
/** as NIST SP 800-38D recommends for GCM */
const nonceBytes = 12
const tagBytes = 16
/** names the format, so that another one can be told apart later */
const prefix = 'sealed1.'

export class KeyFileSecretStore implements SecretStore {
  readonly #key: Buffer

  private constructor(key: Buffer) {
    this.#key = key
  }

  /**
   * Reads the key of this data folder, making it at the first use; the folder must be locked by the caller.
   * @throws SluiceError `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
   */
  static open(dataFolder: string): KeyFileSecretStore {
    const path = join(dataFolder, 'secrets.key')
    try {
      return new KeyFileSecretStore(readKey(path) ?? makeKey(path, dataFolder))
    } catch (error) {
      throw fileError('The key of the data folder cannot be read or written', error)
    }
  }

  seal(plain: string): string {
    const nonce = randomBytes(nonceBytes)
    const sealing = createCipheriv(cipher, this.#key, nonce)
    const sealed = Buffer.concat([sealing.update(plain, 'utf8'), sealing.final()])
    return prefix + Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url')
  }

  /** @throws SluiceError `AUTH_FAILED` when it was sealed by another key, or changed since */
  open(sealed: string): string {
    try {
      if (!sealed.startsWith(prefix)) throw new Error('the value is not a sealed one')
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
      const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
      opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const plain = opening.update(bytes.subarray(nonceBytes + tagBytes))
      return Buffer.concat([plain, opening.final()]).toString('utf8')
    } catch (error) {
      throw new SluiceError('AUTH_FAILED', 'A stored secret can no longer be read', {
        hint: 'Give the headers or the sign-in of this task again.',
        cause: error,
      })
    }
  }
}

/** Null when there is none that can be used; one that was cut off is set aside, not overwritten. */
function readKey(path: string): Buffer | null {
  let key: Buffer
  try {
    key = readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  // a copied or restored folder may have lost its mode
  chmodSync(path, 0o600)
  if (key.length === keyBytes) return key
  renameSync(path, `${path}.corrupt-${Date.now()}`)
  return null
}

/** Under its name the key is always whole and durable: what was sealed with a lost one could never be opened. */
function makeKey(path: string, dataFolder: string): Buffer {
  const key = randomBytes(keyBytes)
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  const descriptor = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(descriptor, key)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(unfinished, path)
  syncFolderNow(dataFolder)
  return key
}
