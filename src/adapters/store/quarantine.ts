/** Records that cannot be read are set aside with all they were, told once, and never stand in the way of others. */
import type { QuarantinedRecord } from '../../core/ports.ts'
import type { Connection } from './connection.ts'

export interface Unreadable extends QuarantinedRecord {
  table: 'tasks' | 'jobs' | 'attempts' | 'settings'
  /** what was stored, as far as it could be had */
  body: string
  /** what of it is sound and stays in its place */
  sound?: string
}

/** Statements that take the record out of its table. */
const removals: Record<Unreadable['table'], string> = {
  tasks: 'DELETE FROM tasks WHERE id = ?',
  jobs: 'DELETE FROM jobs WHERE id = ?',
  attempts: 'DELETE FROM attempts WHERE id = ?',
  settings: 'DELETE FROM settings WHERE id = ?',
}

export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message.slice(0, 500) : 'it cannot be read'
}

export class Quarantine {
  readonly #db: Connection
  #met: Unreadable[] = []
  readonly #told = new Map<string, QuarantinedRecord>()

  constructor(db: Connection) {
    this.#db = db
  }

  /** Remembers a record that a reader met; the reader goes on without it. */
  note(record: Unreadable): void {
    this.#met.push(record)
  }

  get isEmpty(): boolean {
    return this.#met.length === 0
  }

  /** What is told once in this life although the record stays in its place. */
  tell(record: QuarantinedRecord): void {
    this.#told.set(`${record.table} ${record.key}`, record)
  }

  /** Moves what was met; the caller's transaction makes it one step. */
  setAside(): void {
    const insert = this.#db.prepare('INSERT INTO quarantine (source, key, reason, body) VALUES (?, ?, ?, ?)')
    for (const { table, key, reason, body, sound } of this.#met) {
      const isStillThere = this.#db.prepare(removals[table]).run(key).changes > 0
      if (isStillThere) insert.run(table, key, reason, body)
      if (isStillThere && sound !== undefined) {
        this.#db.prepare(`INSERT INTO ${table} (id, body) VALUES (?, ?)`).run(key, sound)
      }
    }
    this.#met = []
  }

  /** What was set aside since the last time this was asked. */
  takeUntold(): QuarantinedRecord[] {
    const untold = this.#db
      .prepare<[], QuarantinedRecord>(
        'SELECT source AS "table", key, reason FROM quarantine WHERE told = 0 ORDER BY rowid',
      )
      .all()
    if (untold.length > 0) this.#db.exec('UPDATE quarantine SET told = 1 WHERE told = 0')
    const told = [...this.#told.values()]
    this.#told.clear()
    return [...untold, ...told]
  }
}
