/**
 * Opening the database so that what it acknowledges is on the disk, and never silently starting empty: a
 * database that is damaged is set aside, what can still be read of it is carried over, and the fact is told.
 */
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { SluiceError } from '../../shared/errors.ts'
import type { QuarantinedRecord } from '../../core/ports.ts'
import { migrations } from './schema.ts'

export type Connection = Database.Database

/** SQLite before this version can corrupt a WAL database by a race (https://sqlite.org/wal.html#walresetbug). */
const oldestSafeSqlite = [3, 51, 3] as const

/** Errors of SQLite as codes of ours. */
export function storageError(thrown: unknown): SluiceError {
  if (thrown instanceof SluiceError) return thrown
  const code = thrown instanceof Database.SqliteError ? thrown.code : ''
  if (code === 'SQLITE_FULL') {
    return new SluiceError('STORAGE_FULL', 'The drive with the task list is full', { cause: thrown })
  }
  if (/^SQLITE_(IOERR|READONLY|CANTOPEN|PERM)/.test(code)) {
    return new SluiceError('STORAGE_UNAVAILABLE', 'The task list cannot be written', {
      details: { sqlite: code },
      cause: thrown,
    })
  }
  return new SluiceError('INTERNAL', 'The task list could not be read or written', {
    ...(code === '' ? {} : { details: { sqlite: code } }),
    cause: thrown,
  })
}

function isDamage(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(thrown.code)
}

function requireSafeSqlite(database: Connection): void {
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get())
  const parts = version.split('.').map(Number)
  for (const [index, oldest] of oldestSafeSqlite.entries()) {
    const part = parts[index] ?? 0
    if (part > oldest) return
    if (part < oldest) throw new SluiceError('INTERNAL', `SQLite ${version} is too old to be safe`)
  }
}

function versionOf(database: Connection): number {
  return Number(database.pragma('user_version', { simple: true }))
}

/** Connects and checks; throws SQLite's own error when the file is damaged. */
function connectTo(path: string): Connection {
  const database = new Database(path)
  try {
    requireSafeSqlite(database)
    database.pragma('journal_mode = WAL')
    // measured: NORMAL loses acknowledged commits in a power cut (4-engine, "Durability")
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    database.pragma('busy_timeout = 5000')
    database.pragma('trusted_schema = OFF')
    const verdict = String(database.pragma('quick_check(1)', { simple: true }))
    if (verdict !== 'ok') throw new Database.SqliteError(verdict, 'SQLITE_CORRUPT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Brings the schema up to date, a backup before each step that changes existing data. */
function migrate(database: Connection, path: string): void {
  const version = versionOf(database)
  if (version > migrations.length) {
    throw new SluiceError('STORAGE_UNAVAILABLE', 'The task list was written by a newer version of the app', {
      hint: 'Update the app, or choose another data folder.',
      details: { version, known: migrations.length },
    })
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue
    if (index > 0) {
      const backup = `${path}.backup-v${index}`
      if (!existsSync(backup)) database.prepare('VACUUM INTO ?').run(backup)
    }
    database.transaction(() => {
      database.exec(sql)
      database.pragma(`user_version = ${index + 1}`)
    })()
  }
}

const salvageable = ['tasks', 'steps', 'jobs', 'attempts', 'claims', 'settings', 'counters', 'quarantine']

/** Copies what can still be read of a damaged database, row by row; returns how many rows could not be. */
function salvage(damagedPath: string, database: Connection): number {
  let lost = 0
  let damaged: Connection
  try {
    damaged = new Database(damagedPath, { readonly: true })
  } catch {
    return Number.NaN
  }
  try {
    for (const table of salvageable) lost += salvageTable(damaged, database, table)
  } finally {
    damaged.close()
  }
  return lost
}

function salvageTable(damaged: Connection, database: Connection, table: string): number {
  const copy = (row: Record<string, unknown>): number => {
    const columns = Object.keys(row)
    const values = columns.map((name) => `@${name}`)
    try {
      database
        .prepare(`INSERT OR REPLACE INTO ${table} (${columns.join(',')}) VALUES (${values.join(',')})`)
        .run(row)
      return 0
    } catch {
      return 1
    }
  }
  let lost = 0
  try {
    const rows = damaged.prepare(`SELECT * FROM ${table}`).iterate() as IterableIterator<
      Record<string, unknown>
    >
    for (const row of rows) lost += copy(row)
  } catch {
    // the rest of this table cannot be reached: counted once, the set-aside file keeps it
    lost += 1
  }
  return lost
}

export interface OpenedDatabase {
  database: Connection
  /** what was found damaged while opening */
  quarantined: QuarantinedRecord[]
}

/**
 * Opens `sluice.db` in the data folder, creating it when there is none.
 * @throws SluiceError `STORAGE_UNAVAILABLE` (not writable, or of a newer version), `STORAGE_FULL`, `INTERNAL`
 */
export function openDatabase(dataFolder: string, now: number): OpenedDatabase {
  const path = join(dataFolder, 'sluice.db')
  try {
    try {
      const database = connectTo(path)
      migrate(database, path)
      return { database, quarantined: [] }
    } catch (error) {
      if (!isDamage(error)) throw error
      return replaceDamaged(path, now)
    }
  } catch (error) {
    throw storageError(error)
  }
}

function replaceDamaged(path: string, now: number): OpenedDatabase {
  const aside = `${path}.corrupt-${now}`
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix)
  }
  const database = connectTo(path)
  migrate(database, path)
  const lost = salvage(aside, database)
  const reason = Number.isNaN(lost)
    ? 'the task list was damaged and nothing of it could be read; it was set aside'
    : `the task list was damaged; it was set aside and what could be read of it was carried over (${lost} unreadable)`
  return { database, quarantined: [{ table: 'database', key: aside, reason }] }
}
