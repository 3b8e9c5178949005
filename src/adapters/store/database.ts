/** Opening the task list: created when there is none, recovered when it is damaged, migrated when it is older. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backupsOf } from './backup.ts'
import { anythingOf, connect, createDatabase, migrate, quickCheck, removeDatabase } from './connection.ts'
import type { Connection } from './connection.ts'
import { finishRecovery, recover } from './recovery.ts'
import { migrations } from './schema.ts'
import { isDamage } from './storage-error.ts'

/**
 * Up to this size a check before use takes no time that is noticed. A larger one is checked after an unclean end;
 * otherwise damage is found where it is met, or by the check of the daily backup, and recovered from then.
 */
const alwaysCheckedBytes = 32 * 1024 * 1024

export function databasePath(dataFolder: string): string {
  return join(dataFolder, 'sluice.db')
}

function endedCleanly(database: Connection): boolean {
  return database.prepare(`SELECT value FROM meta WHERE name = 'ended-cleanly'`).pluck().get() === 1
}

function setEndedCleanly(database: Connection, value: 0 | 1): void {
  database.prepare(`UPDATE meta SET value = ? WHERE name = 'ended-cleanly'`).run(value)
}

function openSound(path: string): Connection {
  const database = connect(path, migrations.length)
  try {
    if (statSync(path).size <= alwaysCheckedBytes || !endedCleanly(database)) quickCheck(database)
    migrate(database, path)
    setEndedCleanly(database, 0)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens `sluice.db` in the data folder.
 * @throws SluiceError `STORAGE_UNAVAILABLE` when it is of a newer version; else what SQLite or the system throws
 */
export function openDatabase(dataFolder: string, now: number): Connection {
  const path = databasePath(dataFolder)
  removeDatabase(`${path}.new`)
  finishRecovery(path, now)
  if (!existsSync(path)) {
    if (anythingOf(path) || backupsOf(path).length > 0) recover(path, now)
    else createDatabase(path, migrations.length, () => undefined)
  }
  try {
    return openSound(path)
  } catch (error) {
    if (!isDamage(error)) throw error
    return recoverDatabase(dataFolder, now)
  }
}

/** For damage that is met later than at the opening; the damaged connection must be closed. */
export function recoverDatabase(dataFolder: string, now: number): Connection {
  const path = databasePath(dataFolder)
  recover(path, now)
  return openSound(path)
}

export function closeDatabase(database: Connection): void {
  try {
    setEndedCleanly(database, 1)
  } catch {
    // a drive that is full or gone; without the mark the next start checks the whole file, which is right then
  }
  database.close()
}
