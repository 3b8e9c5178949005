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

/** Added to while rows are copied: what came before the damage counts. */
interface Salvaged {
  rows: number
  /** rows of what cannot be had again: not settings, counters, or what was lost before */
  records: number
  isWhole: boolean
}

const incidental: ReadonlySet<string> = new Set(['settings', 'meta', 'quarantine'])

type Table = (typeof tables)[number]

/** Writes rows until there are no more, or, on the way back, until one that is there already. */
function copyRows(
  from: Connection,
  to: Connection,
  table: Table,
  direction: Direction,
  salvaged: Salvaged,
): void {
  const order = table.key.split(', ').map((column) => `${column} ${direction}`)
  // the number of a row says on the way back whether it was copied: claims have no key of their own
  const all = table.key === 'rowid' ? 'rowid, *' : '*'
  const reading = from.prepare(`SELECT ${all} FROM ${table.name} NOT INDEXED ORDER BY ${order.join(', ')}`)
  const columns = reading.columns().map((column) => column.name)
  const marks = columns.map(() => '?').join(', ')
  const writing = to.prepare(`INSERT OR IGNORE INTO ${table.name} (${columns.join(', ')}) VALUES (${marks})`)
  for (const row of reading.raw().iterate()) {
    try {
      const isNew = writing.run(row).changes > 0
      if (!isNew && direction === 'DESC') return
      if (!isNew) salvaged.isWhole = false
      else salvaged.rows++
      if (isNew && !incidental.has(table.name)) salvaged.records++
    } catch (error) {
      // it breaks a constraint, or its parent is lost: the set-aside file keeps it, and the loss is told
      if (!isConstraint(error)) throw error
      salvaged.isWhole = false
    }
  }
}

type Direction = 'ASC' | 'DESC'

function isConstraint(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_CONSTRAINT')
}

/** From the beginning of the table to the damage, and from its end back to it. */
function salvageTable(from: Connection, to: Connection, table: Table, salvaged: Salvaged): void {
  for (const direction of ['ASC', 'DESC'] as const) {
    try {
      copyRows(from, to, table, direction, salvaged)
      return
    } catch (error) {
      if (!isDamage(error) && !isMissingTable(error)) throw error
      salvaged.isWhole = false
    }
  }
}

/** The list of tables itself can be what is damaged. */
function isMissingTable(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && thrown.code === 'SQLITE_ERROR'
}

function salvage(from: Connection, to: Connection): Salvaged {
  const salvaged = { rows: 0, records: 0, isWhole: true }
  to.exec('DELETE FROM meta')
  for (const table of tables) salvageTable(from, to, table, salvaged)
  to.exec(`INSERT OR IGNORE INTO meta VALUES ('token', 0), ('ended-cleanly', 1)`)
  return salvaged
}

function skipTokens(database: Connection): void {
  database
    .prepare(
      `UPDATE meta SET value = max(value, (SELECT coalesce(max(token), 0) FROM attempts)) + ? WHERE name = 'token'`,
    )
    .run(tokensSkipped)
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

/** A source to recover from, and when what it gives is worth more than the next source. */
interface Candidate {
  source: string
  isEnough: (salvaged: Salvaged) => boolean
  reasonFor: (salvaged: Salvaged) => string
}

function candidatesFor(path: string): Candidate[] {
  const ownReason = ({ isWhole }: Salvaged) =>
    isWhole
      ? 'The task list was damaged; every record of it could be read and was carried over.'
      : 'The task list was damaged; some of its records could not be read. The others were carried over.'
  const hasRecords = ({ isWhole, records }: Salvaged) => isWhole || records > 0
  return [
    { source: path, isEnough: hasRecords, reasonFor: ownReason },
    ...backupsOf(path).map((source) => ({
      source,
      isEnough: hasRecords,
      reasonFor: () => 'The task list could not be read; the last backup was put in its place.',
    })),
    { source: path, isEnough: ({ rows }) => rows > 0, reasonFor: ownReason },
  ]
}

/** Makes a database of what the candidate gives; false when that is not enough. */
function salvageFrom(candidate: Candidate, path: string, aside: string): boolean {
  const reading = openForReading(candidate.source)
  if (reading === null) return false
  try {
    let isEnough = false
    createDatabase(salvagedName(path), versionOf(reading), (database) => {
      const salvaged = salvage(reading, database)
      isEnough = candidate.isEnough(salvaged)
      report(database, aside, candidate.reasonFor(salvaged))
    })
    return isEnough
  } finally {
    reading.close()
  }
}

/** In the new database itself, so that it is told even if this life ends before somebody listens. */
function report(database: Connection, aside: string, reason: string): void {
  skipTokens(database)
  database
    .prepare(`INSERT INTO quarantine (source, key, reason, body) VALUES ('database', ?, ?, '')`)
    .run(aside, reason)
}

/** Replaces the damaged database by what can be recovered; what happened is kept in its quarantine until told. */
export function recover(path: string, now: number): void {
  const aside = `${path}.corrupt-${now}`
  if (!candidatesFor(path).some((candidate) => salvageFrom(candidate, path, aside))) {
    createDatabase(salvagedName(path), migrations.length, (database) =>
      report(
        database,
        aside,
        'The task list could not be read and there is no backup; the new one is empty.',
      ),
    )
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
