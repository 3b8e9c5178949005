/**
 * One exclusive lock per data folder. It is SQLite's own lock on an empty database beside the real one: held by the
 * operating system, it vanishes with its holder whatever the end, so there is no stale lock to guess about
 * (docs/decisions/0002-data-folder-lock.md).
 */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SluiceError } from '../shared/errors.ts'
import { fileError } from './file-errors.ts'
import { makeFolderSync } from './make-folder.ts'
import { isDamage } from './store/storage-error.ts'

export interface DataFolderLock {
  /** Lets another process have the folder; a second call does nothing. */
  release(): void
}

/** The lock is never a question of this file: it only says whom to close. */
function holderFile(folder: string): string {
  return join(folder, 'lock.pid')
}

function holderOf(folder: string): number | null {
  try {
    const pid = Number(readFileSync(holderFile(folder), 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null
  } catch {
    // the other one holds the lock and has not written its name yet
    return null
  }
}

function heldByAnother(folder: string, cause: unknown): SluiceError {
  const pid = holderOf(folder)
  const who = pid === null ? 'Another Sluice' : `Another Sluice (process ${pid})`
  return new SluiceError('CONFLICT', `${who} is using this data folder`, {
    hint: 'Close the other one, or choose another data folder.',
    details: { folder, ...(pid === null ? {} : { pid }) },
    cause,
  })
}

/** Reachable until released: a connection that is collected as garbage would let go of its lock. */
const held = new Set<Database.Database>()

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_BUSY')
}

/** Never commits: nothing is written, and readers and writers elsewhere are refused at once. */
function takeLock(path: string): Database.Database {
  const database = new Database(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Takes the folder, creating it when it is not there.
 * @throws SluiceError `CONFLICT` when another process (or another part of this one) holds it; `STORAGE_UNAVAILABLE`,
 *   `STORAGE_FULL` when it cannot be written
 */
export function lockDataFolder(folder: string): DataFolderLock {
  const path = join(folder, 'lock.db')
  try {
    makeFolderSync(folder, 0o700)
    const lock = takeOrMend(path)
    try {
      writeFileSync(holderFile(folder), `${process.pid}\n`)
    } catch (error) {
      lock.close()
      throw error
    }
    held.add(lock)
    return {
      release: () => {
        held.delete(lock)
        lock.close()
      },
    }
  } catch (error) {
    if (isBusy(error)) throw heldByAnother(folder, error)
    throw fileError('The data folder cannot be written', error)
  }
}

/**
 * A power cut can leave anything in a file, also where nothing is ever written. What is in it was read under the lock,
 * so nobody holds it; it is emptied in place, since two starters that each made a new file would both hold theirs.
 */
function takeOrMend(path: string): Database.Database {
  try {
    return takeLock(path)
  } catch (error) {
    if (!isDamage(error)) throw error
    truncateSync(path)
    return takeLock(path)
  }
}
