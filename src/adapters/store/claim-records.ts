import type { Claim } from '../../core/ports.ts'
import type { Connection } from './connection.ts'

/** The names that tasks hold. */
export class ClaimRecords {
  readonly #put
  readonly #drop
  readonly #on
  readonly #of
  readonly #others

  constructor(db: Connection) {
    this.#put = db.prepare('INSERT INTO claims (task_id, kind, path, folded_path) VALUES (?, ?, ?, ?)')
    this.#drop = db.prepare('DELETE FROM claims WHERE task_id = ?')
    this.#on = selectClaims(db, 'folded_path = ?')
    this.#of = selectClaims(db, 'task_id = ?')
    this.#others = db
      .prepare<[string, string], 0 | 1>(
        'SELECT EXISTS (SELECT 1 FROM claims WHERE folded_path = ? AND task_id <> ?)',
      )
      .pluck()
  }

  /** Replaces the claims of the task. */
  put(taskId: string, claims: readonly Claim[]): void {
    this.#drop.run(taskId)
    for (const claim of claims) this.#put.run(taskId, claim.kind, claim.path, claim.foldedPath)
  }

  /** Whether another task than this one holds the path. */
  isHeldBesides(taskId: string, foldedPath: string): boolean {
    return this.#others.get(foldedPath, taskId) === 1
  }

  on(foldedPath: string): Claim[] {
    return this.#on.all(foldedPath)
  }

  of(taskId: string): Claim[] {
    return this.#of.all(taskId)
  }
}

function selectClaims(db: Connection, where: string) {
  return db.prepare<[string], Claim>(
    `SELECT task_id AS taskId, kind, path, folded_path AS foldedPath FROM claims WHERE ${where} ORDER BY rowid`,
  )
}
