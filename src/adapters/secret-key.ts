/**
 * The key of a data folder: in a file that only the user can read, or, where the system has a key store, in a file
 * that this store has wrapped. The folder must be locked by the caller.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileError, isMissing } from './file-errors.ts'
import { syncFolderNow } from './sync-folder.ts'

const keyBytes = 32

/** A key store of the system: what it wraps only the same user on the same machine can unwrap. */
export interface KeyGuard {
  isAvailable(): Promise<boolean>
  wrap(plain: string): Promise<Uint8Array>
  /** Rejects for what it did not wrap, or no longer can unwrap. */
  unwrap(wrapped: Uint8Array): Promise<string>
}

function plainFile(dataFolder: string): string {
  return join(dataFolder, 'secrets.key')
}

function guardedFile(dataFolder: string): string {
  return join(dataFolder, 'secrets.guarded-key')
}

/**
 * The key in the file, made at the first use.
 * @throws SluiceError `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export function openPlainKey(dataFolder: string): Uint8Array {
  return inFolder(() => readPlainKey(dataFolder) ?? writeWhole(plainFile(dataFolder), randomBytes(keyBytes)))
}

/** The key in the file, null when there is none. */
export function existingPlainKey(dataFolder: string): Uint8Array | null {
  return existsSync(plainFile(dataFolder)) ? inFolder(() => readPlainKey(dataFolder)) : null
}

/**
 * The key that the system's key store keeps, made or taken over from the plain file at the first use; null when
 * there is no such store here.
 * @throws SluiceError `STORAGE_UNAVAILABLE`, `STORAGE_FULL`
 */
export async function openGuardedKey(dataFolder: string, guard: KeyGuard): Promise<Uint8Array | null> {
  if (!(await guard.isAvailable())) return null
  const path = guardedFile(dataFolder)
  const kept = existsSync(path) ? await unwrapped(path, guard) : null
  if (kept !== null) return kept
  const plain = existingPlainKey(dataFolder)
  const key = plain ?? randomBytes(keyBytes)
  const wrapped = await guard.wrap(Buffer.from(key).toString('base64url'))
  return inFolder(() => {
    writeWhole(path, wrapped)
    // only now that the other one is durable
    if (plain !== null) rmSync(plainFile(dataFolder), { force: true })
    return key
  })
}

/** Null when it cannot be unwrapped: it is set aside, since what it has sealed may be wanted again. */
async function unwrapped(path: string, guard: KeyGuard): Promise<Uint8Array | null> {
  const wrapped = inFolder(() => readFileSync(path))
  try {
    const key = Buffer.from(await guard.unwrap(wrapped), 'base64url')
    if (key.length === keyBytes) return key
  } catch {
    // another user's, or of a key store that was reset: what it sealed is told as lost when it is met
  }
  inFolder(() => renameSync(path, `${path}.corrupt-${Date.now()}`))
  return null
}

function inFolder<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw fileError('The key of the data folder cannot be read or written', error)
  }
}

/** Null when there is none that can be used; one that was cut off is set aside, not overwritten. */
function readPlainKey(dataFolder: string): Uint8Array | null {
  const path = plainFile(dataFolder)
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
function writeWhole(path: string, bytes: Uint8Array): Uint8Array {
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  const descriptor = openSync(unfinished, 'wx', 0o600)
  try {
    writeSync(descriptor, bytes)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(unfinished, path)
  syncFolderNow(dirname(path))
  return bytes
}
