/** Ways to break a database file from outside, while nobody has it open. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

export function databaseFile(dataFolder: string): string {
  return join(dataFolder, 'sluice.db')
}

/** Runs statements on the database, as another program would. */
export function tamper(dataFolder: string, sql: string): void {
  const database = new Database(databaseFile(dataFolder))
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}

/** First value of a query on the database. */
export function ask(dataFolder: string, sql: string): unknown {
  const database = new Database(databaseFile(dataFolder), { readonly: true })
  try {
    return database.prepare(sql).pluck().get()
  } finally {
    database.close()
  }
}

/** Overwrites one page with zeros, as a dead sector would read; pages count from 1. */
export function zeroPage(dataFolder: string, page: number): void {
  const pageSize = Number(ask(dataFolder, 'PRAGMA page_size'))
  const descriptor = openSync(databaseFile(dataFolder), 'r+')
  try {
    writeSync(descriptor, Buffer.alloc(pageSize), 0, pageSize, (page - 1) * pageSize)
  } finally {
    closeSync(descriptor)
  }
}

/** The first page of a table or an index. */
export function rootPage(dataFolder: string, name: string): number {
  return Number(ask(dataFolder, `SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`))
}

/** A page in the middle of what a table or an index occupies. */
export function middlePage(dataFolder: string, name: string): number {
  const leaves = `FROM dbstat WHERE name = '${name}' AND pagetype = 'leaf'`
  return Number(
    ask(dataFolder, `SELECT pageno ${leaves} ORDER BY path LIMIT 1 OFFSET (SELECT count(*) / 2 ${leaves})`),
  )
}
