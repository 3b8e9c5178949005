/**
 * The copy that a damaged database is replaced by when nothing of it can be read. Made while the app runs, a few
 * pages at a time, and named only when it was checked: a good copy is never replaced by a bad one.
 */
import { readdirSync, renameSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { syncFolderNow } from '../sync-folder.ts'
import { quickCheck, removeDatabase } from './connection.ts'
import type { Connection } from './connection.ts'

/** Few enough that a commit that comes in between waits for about a millisecond. */
const pagesAtOnce = 64

export const backupIntervalMs = 24 * 60 * 60 * 1000

function regularBackup(path: string): string {
  return `${path}.backup`
}

/** Age in ms of the regular backup; infinite when there is none. */
export function backupAgeMs(path: string, now: number): number {
  const stats = statSync(regularBackup(path), { throwIfNoEntry: false })
  return stats === undefined ? Infinity : now - stats.mtimeMs
}

/** All backups, also those made before migrations, the newest first. */
export function backupsOf(path: string): string[] {
  const folder = dirname(path)
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}.backup`) && !/\.new(-\w+)?$/.test(name))
    .map((name) => ({ path: join(folder, name), writtenAt: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.writtenAt - a.writtenAt)
    .map((backup) => backup.path)
}

/**
 * Copies the database while it is in use; stops without a copy when `isWanted` says no.
 * @throws DamagedDatabase when the copy, and so the database, is not sound
 */
export async function backUp(database: Connection, path: string, isWanted: () => boolean): Promise<void> {
  const unfinished = `${regularBackup(path)}.new`
  removeDatabase(unfinished)
  class Unwanted extends Error {}
  try {
    await database.backup(unfinished, {
      progress: () => {
        if (!isWanted()) throw new Unwanted()
        return pagesAtOnce
      },
    })
  } catch (error) {
    removeDatabase(unfinished)
    if (error instanceof Unwanted) return
    throw error
  }
  const copy = new Database(unfinished)
  try {
    // one file without companions, synced by SQLite itself
    copy.pragma('journal_mode = DELETE')
    quickCheck(copy)
  } catch (error) {
    copy.close()
    removeDatabase(unfinished)
    throw error
  }
  copy.close()
  renameSync(unfinished, regularBackup(path))
  syncFolderNow(dirname(path))
}
