/** Connecting to a database file so that what it acknowledges is on the disk, and bringing its schema up to date. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { SluiceError } from '../../shared/errors.ts'
import { syncFolderNow } from '../sync-folder.ts'
import { migrations } from './schema.ts'
import { DamagedDatabase } from './storage-error.ts'

export type Connection = Database.Database

/** SQLite before this version can corrupt a WAL database by a race (https://sqlite.org/wal.html#walresetbug). */
const oldestSafeSqlite = [3, 51, 3] as const

/** What SQLite keeps beside a database file. */
const companions = ['', '-wal', '-shm', '-journal'] as const

function requireSafeSqlite(database: Connection): void {
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get())
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of oldestSafeSqlite.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest) throw new SluiceError('INTERNAL', `SQLite ${version} is too old to be safe`)
  }
}

export function versionOf(database: Connection): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/** @throws SluiceError `STORAGE_UNAVAILABLE` when it is newer; DamagedDatabase when there are no tables in it */
function requireKnownVersion(database: Connection, known: number): void {
  const version = versionOf(database)
  if (version > known) {
    throw new SluiceError('STORAGE_UNAVAILABLE', 'The task list was written by a newer version of the app', {
      hint: 'Update the app, or choose another data folder.',
      details: { version, known },
    })
  }
  // a database gets its name only when it has its tables: one without them was cut off or emptied
  if (version === 0) throw new DamagedDatabase('there are no tables in it')
}

/**
 * Opens a database of a version up to `known`; nothing of a newer one is changed.
 * @throws SluiceError `STORAGE_UNAVAILABLE`; DamagedDatabase; what SQLite throws, also for a damaged file
 */
export function connect(path: string, known: number): Connection {
  const database = new Database(path, { fileMustExist: true, timeout: 5000 })
  try {
    requireSafeSqlite(database)
    requireKnownVersion(database, known)
    requireWal(database)
    // a log of 16 MiB: the same pages are changed over and over while tasks run, and each checkpoint writes them again
    database.pragma('wal_autocheckpoint = 4000')
    // measured: NORMAL loses acknowledged commits in a power cut (4-engine, "Durability")
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    database.pragma('trusted_schema = OFF')
    // the indexes of a hundred thousand tasks stay in memory, their bodies need not
    database.pragma('cache_size = -48000')
    // what a savepoint keeps of each page it changes is needed until the commit only: on the disk it was half of all writes
    database.pragma('temp_store = MEMORY')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function requireWal(database: Connection): void {
  const mode = String(database.pragma('journal_mode = WAL', { simple: true }))
  if (mode === 'wal') return
  throw new SluiceError('STORAGE_UNAVAILABLE', 'The drive of the data folder cannot hold the task list', {
    hint: 'Choose a data folder on a local drive.',
    details: { journalMode: mode },
  })
}

/** @throws DamagedDatabase with what the check found first */
export function quickCheck(database: Connection): void {
  const verdict = String(database.pragma('quick_check(1)', { simple: true }))
  if (verdict !== 'ok') throw new DamagedDatabase(verdict)
}

function applyMigration(database: Connection, index: number, sql: string): void {
  database.transaction(() => {
    database.exec(sql)
    database.pragma(`user_version = ${index + 1}`)
  })()
}

/**
 * Applies the steps that are missing, each in one transaction after a backup of what it changes. A crash leaves the
 * version before or after a step, never one between.
 */
export function migrate(database: Connection, path: string, steps: readonly string[] = migrations): void {
  const version = versionOf(database)
  for (const [index, sql] of steps.entries()) {
    if (index < version) continue
    vacuumInto(database, `${path}.backup-v${index}`)
    applyMigration(database, index, sql)
  }
}

function vacuumInto(database: Connection, backup: string): void {
  removeDatabase(`${backup}.new`)
  database.prepare('VACUUM INTO ?').run(`${backup}.new`)
  publishDatabase(`${backup}.new`, backup)
}

/**
 * Makes a database of this version beside its place and gives it its name only when it is whole and durable: until
 * then nothing has to survive anything, so it is synced once, at its end. `fill` puts in what there is to begin with.
 */
export function createDatabase(path: string, version: number, fill: (database: Connection) => void): void {
  const unfinished = `${path}.new`
  removeDatabase(unfinished)
  // it holds cookies and signed links: nobody else's to read; SQLite gives its companions the same mode
  closeSync(openSync(unfinished, 'wx', 0o600))
  const database = new Database(unfinished)
  try {
    database.pragma('synchronous = OFF')
    database.pragma('journal_mode = MEMORY')
    for (const [index, sql] of migrations.entries()) {
      if (index < version) applyMigration(database, index, sql)
    }
    database.transaction(() => fill(database))()
    // here and not at its first opening: a crash in the switch leaves a journal that readers cannot pass
    requireWal(database)
  } finally {
    database.close()
  }
  publishDatabase(unfinished, path)
}

/** Syncs a closed database and gives it its name. */
function publishDatabase(unfinished: string, path: string): void {
  const descriptor = openSync(unfinished, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(unfinished, path)
  syncFolderNow(dirname(path))
}

/** Whether there is anything of a database: also a journal without its file is a sign of one. */
export function anythingOf(path: string): boolean {
  return companions.some((suffix) => existsSync(path + suffix))
}

export function removeDatabase(path: string): void {
  for (const suffix of companions) rmSync(path + suffix, { force: true })
}

/** Renames a database with what SQLite keeps beside it; a part that is not there is fine. */
export function renameDatabase(from: string, to: string): void {
  for (const suffix of companions) {
    if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
  }
  syncFolderNow(dirname(to))
}
