import type { Claim } from '../../core/ports.ts'
import type { Connection } from './connection.ts'

/** The names that tasks hold. */
export class ClaimRecords {
  readonly #db: Connection
  readonly #put
  readonly #drop

  constructor(db: Connection) {
    this.#db = db
    this.#put = db.prepare('INSERT INTO claims (task_id, kind, path, folded_path) VALUES (?, ?, ?, ?)')
    this.#drop = db.prepare('DELETE FROM claims WHERE task_id = ?')
  }

  /** Replaces the claims of the task. */
  put(taskId: string, claims: readonly Claim[]): void {
    this.#drop.run(taskId)
    for (const claim of claims) this.#put.run(taskId, claim.kind, claim.path, claim.foldedPath)
  }

  on(foldedPath: string): Claim[] {
    return this.#read('folded_path = ?', foldedPath)
  }

  of(taskId: string): Claim[] {
    return this.#read('task_id = ?', taskId)
  }

  #read(where: string, value: string): Claim[] {
    return this.#db
      .prepare<[string], Claim>(
        `SELECT task_id AS taskId, kind, path, folded_path AS foldedPath FROM claims WHERE ${where} ORDER BY rowid`,
      )
      .all(value)
  }
}
