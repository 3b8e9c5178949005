/**
 * What happens to a damaged database: it is set aside as it is, and what can be read of it (or, failing that, of the
 * last backup) becomes a new one. Never is a damaged list taken for an empty one, and what happened is told.
 *
 * The new database is finished under a name of its own before the damaged one is moved, so a crash at any moment
 * leads either to the same recovery again or to its end (`finishRecovery`).
 */
import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { syncFolderNow } from '../sync-folder.ts'
import { backupsOf } from './backup.ts'
import { createDatabase, removeDatabase, renameDatabase, versionOf } from './connection.ts'
import type { Connection } from './connection.ts'
import { migrations } from './schema.ts'
import { isDamage } from './storage-error.ts'

/** A worker of before might hold a token that the damage swallowed; this many are never given in one life. */
const tokensSkipped = 1_000_000

/** Parents before children. `state_counts` is not here: its triggers make it anew. */
const tables = [
  { name: 'tasks', key: 'seq' },
  { name: 'task_bodies', key: 'rowid' },
  { name: 'files', key: 'task_id, id' },
  { name: 'steps', key: 'task_id, id' },
  { name: 'jobs', key: 'rowid' },
  { name: 'attempts', key: 'rowid' },
  { name: 'claims', key: 'rowid' },
  { name: 'settings', key: 'id' },
  { name: 'meta', key: 'name' },
  { name: 'quarantine', key: 'rowid' },
] as const

/** A candidate that is being made. */
function salvagedName(path: string): string {
  return `${path}.salvaged`
}

/** The one that was chosen: from here on there is only the way forward. */
function recoveredName(path: string): string {
  return `${path}.recovered`
}

interface Salvaged {
  tasks: number
  isWhole: boolean
}

type Table = (typeof tables)[number]

/** Writes rows until there are no more, or, on the way back, until one that is there already. */
function copyRows(from: Connection, to: Connection, table: Table, direction: 'ASC' | 'DESC'): Salvaged {
  const order = table.key.split(', ').map((column) => `${column} ${direction}`)
  // the number of a row says on the way back whether it was copied: claims have no key of their own
  const all = table.key === 'rowid' ? 'rowid, *' : '*'
  const reading = from.prepare(`SELECT ${all} FROM ${table.name} NOT INDEXED ORDER BY ${order.join(', ')}`)
  const columns = reading.columns().map((column) => column.name)
  const marks = columns.map(() => '?').join(', ')
  const writing = to.prepare(`INSERT OR IGNORE INTO ${table.name} (${columns.join(', ')}) VALUES (${marks})`)
  const copied = { tasks: 0, isWhole: true }
  for (const row of reading.raw().iterate()) {
    try {
      const isNew = writing.run(row).changes > 0
      if (!isNew && direction === 'DESC') break
      if (!isNew) copied.isWhole = false
      else if (table.name === 'tasks') copied.tasks++
    } catch (error) {
      // it breaks a constraint, or its parent is lost: the set-aside file keeps it, and the loss is told
      if (!isConstraint(error)) throw error
      copied.isWhole = false
    }
  }
  return copied
}

function isConstraint(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')
}

/** From the beginning of the table to the damage, and from its end back to it. */
function salvageTable(from: Connection, to: Connection, table: Table): Salvaged {
  const salvaged = { tasks: 0, isWhole: true }
  for (const direction of ['ASC', 'DESC'] as const) {
    try {
      const copied = copyRows(from, to, table, direction)
      salvaged.tasks += copied.tasks
      salvaged.isWhole &&= copied.isWhole
      if (direction === 'ASC') break
    } catch (error) {
      if (!isDamage(error) && !isMissingTable(error)) throw error
      salvaged.isWhole = false
    }
  }
  return salvaged
}

/** The list of tables itself can be what is damaged. */
function isMissingTable(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code === 'SQLITE_ERROR'
}

function salvage(from: Connection, to: Connection): Salvaged {
  to.exec('DELETE FROM meta')
  const results = tables.map((table) => salvageTable(from, to, table))
  to.exec(`INSERT OR IGNORE INTO meta VALUES ('token', 0), ('ended-cleanly', 1)`)
  to.prepare(
    `UPDATE meta SET value = max(value, (SELECT coalesce(max(token), 0) FROM attempts)) + ? WHERE name = 'token'`,
  ).run(tokensSkipped)
  return {
    tasks: results.reduce((sum, result) => sum + result.tasks, 0),
    isWhole: results.every((result) => result.isWhole),
  }
}

/** Opens a database that may be damaged, only to read it; null when it cannot even tell its version. */
function openForReading(path: string): Connection | null {
  let database: Connection | null = null
  try {
    database = new Database(path, { readonly: true, fileMustExist: true })
    const version = versionOf(database)
    if (version > 0 && version <= migrations.length) return database
  } catch {
    // nothing can be read of it: the next source is tried, and the loss is told
  }
  database?.close()
  return null
}

/** Makes the recovered database from this source; false when the source gave nothing. */
function recoverFrom(
  source: string,
  path: string,
  reasonFor: (isWhole: boolean) => string,
  aside: string,
): boolean {
  const reading = openForReading(source)
  if (reading === null) return false
  try {
    let salvaged: Salvaged = { tasks: 0, isWhole: false }
    createDatabase(salvagedName(path), versionOf(reading), (database) => {
      salvaged = salvage(reading, database)
      report(database, aside, reasonFor(salvaged.isWhole))
    })
    return salvaged.tasks > 0 || salvaged.isWhole
  } finally {
    reading.close()
  }
}

function report(database: Connection, aside: string, reason: string): void {
  database
    .prepare(`INSERT INTO quarantine (source, key, reason, body) VALUES ('database', ?, ?, '')`)
    .run(aside, reason)
}

/** Replaces the damaged database by what can be recovered; what happened is kept in its quarantine until told. */
export function recover(path: string, now: number): void {
  const aside = `${path}.corrupt-${now}`
  const ownRows = (isWhole: boolean) =>
    isWhole
      ? 'The task list was damaged; every record of it could be read and was carried over.'
      : 'The task list was damaged; some of its records could not be read. The others were carried over.'
  const backupRows = () => 'The task list could not be read; the last backup was put in its place.'
  const recovered =
    recoverFrom(path, path, ownRows, aside) ||
    backupsOf(path).some((backup) => recoverFrom(backup, path, backupRows, aside))
  if (!recovered) {
    createDatabase(salvagedName(path), migrations.length, (database) => {
      report(database, aside, 'The task list could not be read and there is no backup; the new one is empty.')
    })
  }
  renameSync(salvagedName(path), recoveredName(path))
  syncFolderNow(dirname(path))
  swap(path, aside)
}

function swap(path: string, aside: string): void {
  renameDatabase(path, aside)
  renameSync(recoveredName(path), path)
  syncFolderNow(dirname(path))
}

/** Ends a recovery that a crash interrupted between finishing the new database and moving the damaged one. */
export function finishRecovery(path: string, now: number): void {
  removeDatabase(salvagedName(path))
  removeDatabase(`${salvagedName(path)}.new`)
  if (existsSync(recoveredName(path))) swap(path, `${path}.corrupt-${now}`)
}
