import type { HostLimit } from '../../core/ports.ts'
import type { Connection } from './connection.ts'

/** How many connections hosts were found to bear. */
export class HostLimitRecords {
  readonly #db: Connection

  constructor(db: Connection) {
    this.#db = db
  }

  put({ host, connections, learntAt }: HostLimit): void {
    this.#db
      .prepare(
        `INSERT INTO host_limits (host, connections, learnt_at) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET connections = excluded.connections, learnt_at = excluded.learnt_at`,
      )
      .run(host, connections, learntAt)
  }

  all(): HostLimit[] {
    return this.#db
      .prepare<[], HostLimit>(
        'SELECT host, connections, learnt_at AS learntAt FROM host_limits ORDER BY host',
      )
      .all()
  }
}
