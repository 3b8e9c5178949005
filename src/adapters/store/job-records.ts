/** Jobs and attempts: what happened, and under which token. */
import type { Attempt, Job } from '../../shared/task/model.ts'
import { attemptSchema, jobSchema } from '../../shared/task/model.ts'
import type { Connection } from './connection.ts'
import { reasonOf } from './quarantine.ts'
import type { Quarantine } from './quarantine.ts'

interface BodyRow {
  id: string
  body: string
}

export class JobRecords {
  readonly #db: Connection
  readonly #quarantine: Quarantine
  readonly #putJob
  readonly #putAttempt

  constructor(db: Connection, quarantine: Quarantine) {
    this.#db = db
    this.#quarantine = quarantine
    // a job that has ended never changes (invariant 4)
    this.#putJob = db.prepare(
      `INSERT INTO jobs (id, task_id, ended_at, service, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ended_at = excluded.ended_at, service = excluded.service, body = excluded.body
       WHERE jobs.ended_at IS NULL`,
    )
    this.#putAttempt = db.prepare(
      `INSERT INTO attempts (id, task_id, token, ended, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, body = excluded.body`,
    )
  }

  putJob(job: Job): void {
    const service = (job.end?.service ?? '').toLowerCase()
    this.#putJob.run(job.id, job.taskId, job.end?.at ?? null, service, JSON.stringify(job))
  }

  removeJob(jobId: string): void {
    this.#db.prepare('DELETE FROM jobs WHERE id = ?').run(jobId)
  }

  /** Drops what only a task can need: its open job and its ended attempts. Ended jobs are history. */
  forgetTask(taskId: string): void {
    this.#db.prepare('DELETE FROM jobs WHERE task_id = ? AND ended_at IS NULL').run(taskId)
    this.#db.prepare('DELETE FROM attempts WHERE task_id = ? AND ended = 1').run(taskId)
  }

  putAttempt(attempt: Attempt): void {
    const ended = attempt.end === null ? 0 : 1
    this.#putAttempt.run(attempt.id, attempt.taskId, attempt.token, ended, JSON.stringify(attempt))
  }

  job(id: string): Job | undefined {
    return this.#readJobs('WHERE id = @id', { id })[0]
  }

  history(limit: number, service: string | undefined): Job[] {
    const where = service === undefined ? '' : 'AND service = @service'
    return this.#readJobs(
      `WHERE ended_at IS NOT NULL ${where} ORDER BY ended_at DESC, id DESC LIMIT @limit`,
      service === undefined ? { limit } : { limit, service: service.toLowerCase() },
    )
  }

  /** Attempts of tasks that are gone go with the history, since an attempt may end after its task was removed. */
  trimHistory(keep: number): void {
    this.#db
      .prepare(
        `DELETE FROM jobs WHERE id IN
         (SELECT id FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT -1 OFFSET ?)`,
      )
      .run(keep)
    this.#db.exec('DELETE FROM attempts WHERE ended = 1 AND task_id NOT IN (SELECT id FROM tasks)')
  }

  attempts(taskId: string): Attempt[] {
    return this.#readAttempts('WHERE task_id = @taskId ORDER BY token DESC', { taskId })
  }

  openAttempts(): Attempt[] {
    return this.#readAttempts('WHERE ended = 0 ORDER BY token', {})
  }

  #readJobs(clause: string, values: Record<string, string | number>): Job[] {
    return this.#read('jobs', clause, values, (body) => jobSchema.parse(body))
  }

  #readAttempts(clause: string, values: Record<string, string | number>): Attempt[] {
    return this.#read('attempts', clause, values, (body) => attemptSchema.parse(body))
  }

  #read<T>(
    table: 'jobs' | 'attempts',
    clause: string,
    values: Record<string, string | number>,
    parse: (body: unknown) => T,
  ): T[] {
    const rows = this.#db
      .prepare<[Record<string, string | number>], BodyRow>(`SELECT id, body FROM ${table} ${clause}`)
      .all(values)
    return rows.flatMap(({ id, body }) => {
      try {
        return [parse(JSON.parse(body))]
      } catch (error) {
        this.#quarantine.note({ table, key: id, reason: reasonOf(error), body })
        return []
      }
    })
  }
}
