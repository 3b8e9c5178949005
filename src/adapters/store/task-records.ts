/** Tasks, steps, jobs, attempts and claims as rows: whole objects in JSON, validated on the way out. */
import type { Change, Claim, QuarantinedRecord } from '../../core/ports.ts'
import { isTerminal, taskState } from '../../shared/task/derive.ts'
import type { Attempt, Job, Task, TaskState } from '../../shared/task/model.ts'
import { attemptSchema, jobSchema, taskSchema } from '../../shared/task/model.ts'
import type { Connection } from './database.ts'

/** What runs is shown first, then the queue, then what waits for the user, then what has ended. */
const queueGroups: Record<TaskState, number> = {
  RUNNING: 0,
  WAITING: 1,
  PAUSED: 2,
  FAILED: 3,
  COMPLETED: 4,
  CANCELLED: 5,
}

/** Thrown inside a commit to undo it: a requirement did not hold. */
export class StaleCommit extends Error {}

interface BodyRow {
  id: string
  body: string
}

/** Share of the work that is done, 0–1, over all selected steps: what lists sort by. */
function progressOf(task: Task): number {
  const weight = task.steps.reduce((sum, step) => sum + step.weight, 0)
  return task.steps.reduce((sum, step) => sum + step.weight * step.fraction, 0) / weight
}

function columnsOf(task: Task): Record<string, string | number | null> {
  const state = taskState(task)
  return {
    id: task.id,
    state,
    live: !isTerminal(state) || task.request !== null ? 1 : 0,
    hidden: task.request?.kind === 'delete' ? 1 : 0,
    attempt_token: task.attempt?.token ?? null,
    queue_group: queueGroups[state],
    queue_key: task.rank ?? -(task.finishedAt ?? task.createdAt),
    created_at: task.createdAt,
    finished_at: task.finishedAt ?? 0,
    title_key: task.title.toLowerCase(),
    size: task.files.reduce((sum, file) => sum + (file.selected ? (file.size ?? 0) : 0), 0),
    progress: progressOf(task),
    search: `${task.title}\n${task.service}`.toLowerCase(),
    body: JSON.stringify({ ...task, steps: [] }),
  }
}

/** Prepared statements and the changes they make; runs inside the caller's transaction. */
export class TaskRecords {
  readonly #db: Connection
  readonly #putTask
  readonly #putStep
  readonly #dropSteps
  readonly #stepsOf
  readonly #task
  readonly #running
  readonly #putJob
  readonly #putAttempt
  readonly #putClaim
  readonly #dropClaims

  constructor(db: Connection) {
    this.#db = db
    const columns =
      'id state live hidden attempt_token queue_group queue_key created_at finished_at title_key size progress search body'.split(
        ' ',
      )
    this.#putTask = db.prepare(
      `INSERT INTO tasks (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${columns
         .slice(1)
         .map((name) => `${name} = excluded.${name}`)
         .join(', ')}`,
    )
    // most steps of a long playlist do not change from one commit to the next
    this.#putStep = db.prepare(
      `INSERT INTO steps (task_id, id, position, state, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (task_id, id) DO UPDATE SET position = excluded.position, state = excluded.state, body = excluded.body
       WHERE body IS NOT excluded.body OR position IS NOT excluded.position`,
    )
    this.#dropSteps = db.prepare(
      'DELETE FROM steps WHERE task_id = ? AND id NOT IN (SELECT value FROM json_each(?))',
    )
    this.#stepsOf = db.prepare<[string], BodyRow>(
      'SELECT id, body FROM steps WHERE task_id = ? ORDER BY position',
    )
    this.#task = db.prepare<[string], BodyRow>('SELECT id, body FROM tasks WHERE id = ?')
    // the one statement that decides whether a worker's word still counts (invariant 12)
    this.#running = db.prepare(
      `SELECT 1 FROM steps JOIN tasks ON tasks.id = steps.task_id
       WHERE steps.task_id = ? AND steps.id = ? AND steps.state = 'RUNNING' AND tasks.attempt_token = ?`,
    )
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
    this.#putClaim = db.prepare('INSERT INTO claims (task_id, kind, path, folded_path) VALUES (?, ?, ?, ?)')
    this.#dropClaims = db.prepare('DELETE FROM claims WHERE task_id = ?')
  }

  /** @throws StaleCommit when a `require-running` does not hold */
  apply(change: Change): void {
    switch (change.kind) {
      case 'put-task':
        this.#writeTask(change.task)
        break
      case 'remove-task':
        this.#db.prepare('DELETE FROM tasks WHERE id = ?').run(change.taskId)
        this.#dropClaims.run(change.taskId)
        this.#db.prepare('DELETE FROM jobs WHERE task_id = ? AND ended_at IS NULL').run(change.taskId)
        break
      case 'put-job': {
        const { job } = change
        const service = (job.end?.service ?? '').toLowerCase()
        this.#putJob.run(job.id, job.taskId, job.end?.at ?? null, service, JSON.stringify(job))
        break
      }
      case 'remove-job':
        this.#db.prepare('DELETE FROM jobs WHERE id = ?').run(change.jobId)
        break
      case 'put-attempt': {
        const { attempt } = change
        const ended = attempt.end === null ? 0 : 1
        this.#putAttempt.run(attempt.id, attempt.taskId, attempt.token, ended, JSON.stringify(attempt))
        break
      }
      case 'put-claims':
        this.#dropClaims.run(change.taskId)
        for (const claim of change.claims) {
          this.#putClaim.run(claim.taskId, claim.kind, claim.path, claim.foldedPath)
        }
        break
      case 'put-settings':
        this.#db
          .prepare(
            'INSERT INTO settings (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body',
          )
          .run(JSON.stringify(change.settings))
        break
      case 'require-running':
        if (this.#running.get(change.taskId, change.stepId, change.token) === undefined)
          throw new StaleCommit()
        break
    }
  }

  #writeTask(task: Task): void {
    this.#putTask.run(columnsOf(task))
    this.#dropSteps.run(task.id, JSON.stringify(task.steps.map((step) => step.id)))
    for (const [position, step] of task.steps.entries()) {
      this.#putStep.run(task.id, step.id, position, step.state, JSON.stringify(step))
    }
  }

  load(id: string): Task | undefined {
    const row = this.#task.get(id)
    return row === undefined ? undefined : this.#read(row)
  }

  /** @throws when the record does not fit the schema */
  #read(row: BodyRow): Task {
    const steps = this.#stepsOf.all(row.id).map((step): unknown => JSON.parse(step.body))
    const body = JSON.parse(row.body) as Record<string, unknown>
    return taskSchema.parse({ ...body, steps })
  }

  /** Live tasks; unreadable ones are moved to quarantine with all they had, and told. */
  loadLive(): { tasks: Task[]; quarantined: QuarantinedRecord[] } {
    const tasks: Task[] = []
    const quarantined: QuarantinedRecord[] = []
    const rows = this.#db.prepare<[], BodyRow>('SELECT id, body FROM tasks WHERE live = 1 ORDER BY id').all()
    for (const row of rows) {
      try {
        tasks.push(this.#read(row))
      } catch (error) {
        quarantined.push(this.#setAside(row, error))
      }
    }
    return { tasks, quarantined }
  }

  #setAside(row: BodyRow, error: unknown): QuarantinedRecord {
    const reason = error instanceof Error ? error.message.slice(0, 500) : 'unreadable'
    const steps = this.#stepsOf.all(row.id).map((step) => step.body)
    this.#db
      .prepare('INSERT INTO quarantine (source, key, reason, body) VALUES (?, ?, ?, ?)')
      .run('tasks', row.id, reason, JSON.stringify({ task: row.body, steps }))
    this.#db.prepare('DELETE FROM tasks WHERE id = ?').run(row.id)
    return { table: 'tasks', key: row.id, reason }
  }

  claimsOn(foldedPath: string): Claim[] {
    return this.#claims('folded_path = ?', foldedPath)
  }

  claimsOf(taskId: string): Claim[] {
    return this.#claims('task_id = ?', taskId)
  }

  #claims(where: string, value: string): Claim[] {
    return this.#db
      .prepare<[string], Claim>(
        `SELECT task_id AS taskId, kind, path, folded_path AS foldedPath FROM claims WHERE ${where} ORDER BY rowid`,
      )
      .all(value)
  }

  job(id: string): Job | undefined {
    const row = this.#db.prepare<[string], BodyRow>('SELECT id, body FROM jobs WHERE id = ?').get(id)
    return row === undefined ? undefined : jobSchema.parse(JSON.parse(row.body))
  }

  history(limit: number, service: string | undefined): Job[] {
    const where = service === undefined ? '' : 'AND service = @service'
    const rows = this.#db
      .prepare<[{ limit: number; service: string }], BodyRow>(
        `SELECT id, body FROM jobs WHERE ended_at IS NOT NULL ${where} ORDER BY ended_at DESC, id DESC LIMIT @limit`,
      )
      .all({ limit, service: (service ?? '').toLowerCase() })
    return rows.map((row) => jobSchema.parse(JSON.parse(row.body)))
  }

  trimHistory(keep: number): void {
    this.#db
      .prepare(
        `DELETE FROM jobs WHERE id IN
         (SELECT id FROM jobs WHERE ended_at IS NOT NULL ORDER BY ended_at DESC, id DESC LIMIT -1 OFFSET ?)`,
      )
      .run(keep)
  }

  attempts(taskId: string): Attempt[] {
    return this.#readAttempts('WHERE task_id = ? ORDER BY token DESC', taskId)
  }

  openAttempts(): Attempt[] {
    return this.#readAttempts('WHERE ended = 0 ORDER BY token')
  }

  #readAttempts(clause: string, ...values: string[]): Attempt[] {
    const rows = this.#db.prepare<string[], BodyRow>(`SELECT id, body FROM attempts ${clause}`).all(...values)
    return rows.map((row) => attemptSchema.parse(JSON.parse(row.body)))
  }
}
