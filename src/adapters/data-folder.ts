/**
 * One exclusive lock per data folder. It is SQLite's own lock on a tiny database beside the real one: held by
 * the operating system, it vanishes with its holder whatever the end, so there is no stale lock to guess about.
 * (docs/decisions/0002-data-folder-lock.md)
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SluiceError } from '../shared/errors.ts'

export interface DataFolderLock {
  release(): void
}

function holderOf(folder: string): string {
  try {
    return readFileSync(join(folder, 'lock.pid'), 'utf8').trim()
  } catch {
    return ''
  }
}

/**
 * Takes the folder, creating it when it is not there.
 * @throws SluiceError `CONFLICT` when another process holds it, `STORAGE_UNAVAILABLE` when it cannot be written
 */
export function lockDataFolder(folder: string): DataFolderLock {
  let database: Database.Database | null = null
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    database = new Database(join(folder, 'lock.db'), { timeout: 0 })
    // an exclusive transaction that is never committed: readers and writers elsewhere are refused at once
    database.pragma('journal_mode = DELETE')
    database.exec('BEGIN EXCLUSIVE')
    writeFileSync(join(folder, 'lock.pid'), `${process.pid}\n`)
  } catch (error) {
    database?.close()
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      const holder = holderOf(folder)
      throw new SluiceError('CONFLICT', 'Another Sluice is using this data folder', {
        hint: 'Close the other one, or choose another data folder.',
        ...(holder === '' ? {} : { details: { pid: holder } }),
        cause: error,
      })
    }
    throw new SluiceError('STORAGE_UNAVAILABLE', 'The data folder cannot be written', { cause: error })
  }
  const held = database
  return { release: () => held.close() }
}
