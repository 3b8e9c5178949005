/** The secret of a host, in its data folder: generated at first use, readable by the user alone. */
import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SluiceError } from '../shared/errors.ts'
import { makeFolderSync } from './make-folder.ts'

/** 256 bits from the system's generator */
const newSecret = (): string => randomBytes(32).toString('base64url')

export function secretFile(dataFolder: string): string {
  return join(dataFolder, 'secret')
}

/** The stored secret; null when there is none yet. */
export function readSecret(dataFolder: string): string | null {
  const file = secretFile(dataFolder)
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode === undefined) return null
  // a copied or restored folder may have lost its mode; Windows has none to lose
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) chmodSync(file, 0o600)
  const secret = readFileSync(file, 'utf8').trim()
  return secret === '' ? null : secret
}

/**
 * The stored secret, made when there is none.
 * @throws SluiceError `STORAGE_UNAVAILABLE`
 */
export function readOrCreateSecret(dataFolder: string): string {
  try {
    return readSecret(dataFolder) ?? storeSecret(dataFolder, newSecret())
  } catch (error) {
    throw unavailable(error)
  }
}

/**
 * Replaces the secret and returns the new one; the old one is worth nothing from then on.
 * @throws SluiceError `STORAGE_UNAVAILABLE`
 */
export function rotateSecret(dataFolder: string): string {
  try {
    return storeSecret(dataFolder, newSecret())
  } catch (error) {
    throw unavailable(error)
  }
}

/** Under its name the file is always whole and was never readable by others. */
function storeSecret(dataFolder: string, secret: string): string {
  makeFolderSync(dataFolder, 0o700)
  const file = secretFile(dataFolder)
  const fresh = `${file}.${process.pid}`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(fresh, file)
  return secret
}

function unavailable(cause: unknown): SluiceError {
  return new SluiceError('STORAGE_UNAVAILABLE', 'The secret cannot be read or written in the data folder', {
    hint: 'Make the data folder readable and writable, or choose another one.',
    cause,
  })
}
