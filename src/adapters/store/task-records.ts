/** Tasks with their files and steps as rows: objects in JSON, validated on the way out. */
import type { Statement } from 'better-sqlite3'
import { SluiceError } from '../../shared/errors.ts'
import type { Task } from '../../shared/task/model.ts'
import { taskSchema } from '../../shared/task/model.ts'
import type { Connection } from './connection.ts'
import { listColumnsOf } from './list-columns.ts'
import type { ListColumns } from './list-columns.ts'
import { reasonOf } from './quarantine.ts'
import type { Quarantine } from './quarantine.ts'
import type { SealedSecrets } from './sealed-secrets.ts'

interface PartRow {
  id: string
  position: number
  body: string
}

type Parts = 'files' | 'steps'

/** What is kept beside the JSON of a file or step. */
interface Part {
  id: string
  state?: string
}

/** What is stored of the files or steps of a task, by their ids. */
type StoredParts = Map<string, Pick<PartRow, 'position' | 'body'>>

/** What this connection wrote of a task. */
interface Written {
  columns: ListColumns
  body: string
  files: StoredParts
  steps: StoredParts
}

/** Tasks that are written by turns: as many as may run at once, with room. */
const mostWritten = 64
/** What is known of a task with more parts takes more memory than reading it again takes time. */
const mostParts = 64

const lostSecrets = 'A stored secret of this task can no longer be read; give its headers or sign-in again.'

/** Prepared statements and the changes they make; runs inside the caller's transaction. */
export class TaskRecords {
  readonly #db: Connection
  readonly #quarantine: Quarantine
  readonly #secrets: SealedSecrets
  readonly #row
  readonly #body
  readonly #putBody
  readonly #remove
  readonly #parts
  readonly #running
  readonly #live
  /** by the columns that change: an index is only touched when its column is named in the statement */
  readonly #updates = new Map<string, Statement<ListColumns[string][]>>()
  /** written last, the latest at the end: what runs is written many times and need not be read each time */
  readonly #written = new Map<string, Written>()

  constructor(db: Connection, quarantine: Quarantine, secrets: SealedSecrets) {
    this.#db = db
    this.#quarantine = quarantine
    this.#secrets = secrets
    this.#row = db.prepare<[string], ListColumns>('SELECT * FROM tasks WHERE id = ?')
    this.#body = db.prepare<[string], string>('SELECT body FROM task_bodies WHERE task_id = ?').pluck()
    this.#putBody = db.prepare(
      `INSERT INTO task_bodies (task_id, body) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body WHERE body IS NOT excluded.body`,
    )
    this.#remove = db.prepare('DELETE FROM tasks WHERE id = ?')
    this.#parts = { files: partStatements(db, 'files'), steps: partStatements(db, 'steps') }
    // the one statement that decides whether a worker's word still counts (invariant 12); as a join, SQLite planned it
    // anew at each call
    this.#running = db
      .prepare<[string, string, string, number], 0 | 1>(
        `SELECT EXISTS (SELECT 1 FROM steps WHERE task_id = ? AND id = ? AND state = 'RUNNING')
            AND EXISTS (SELECT 1 FROM tasks WHERE id = ? AND attempt_token = ?)`,
      )
      .pluck()
    this.#live = db.prepare<[string], 0 | 1>('SELECT live FROM tasks WHERE id = ?').pluck()
  }

  isRunning(taskId: string, stepId: string, token: number): boolean {
    return this.#running.get(taskId, stepId, taskId, token) === 1
  }

  /** Whether it may still change: it has not ended, or is asked for something. */
  isLive(taskId: string): boolean {
    return this.#live.get(taskId) === 1
  }

  put(plain: Task): void {
    const task = this.#secrets.seal(plain)
    const { id } = task
    const before = this.#written.get(id)
    const columns = listColumnsOf(task)
    const body = JSON.stringify({ ...task, files: [], steps: [] })
    const row = before?.columns ?? this.#row.get(id)
    // of a new task there is nothing to compare with
    const none = row === undefined ? new Map<string, PartRow>() : undefined
    this.#putRow(id, columns, row)
    if (before?.body !== body) this.#putBody.run(id, body)
    const files = this.#putParts('files', id, task.files, before?.files ?? none)
    const steps = this.#putParts('steps', id, task.steps, before?.steps ?? none)
    this.#remember(id, { columns, body, files, steps })
  }

  #remember(id: string, written: Written): void {
    this.#written.delete(id)
    if (written.files.size + written.steps.size > mostParts) return
    this.#written.set(id, written)
    const [oldest] = this.#written.keys()
    if (this.#written.size > mostWritten && oldest !== undefined) this.#written.delete(oldest)
  }

  /** What was written may have been undone. */
  forget(): void {
    this.#written.clear()
  }

  #putRow(id: string, columns: ListColumns, stored: ListColumns | undefined): void {
    const changed: string[] = []
    const values: ListColumns[string][] = []
    for (const name in columns) {
      const value = columns[name] ?? null
      if (stored?.[name] === value) continue
      changed.push(name)
      values.push(value)
    }
    if (changed.length === 0) return
    const statement = `${stored === undefined ? 'INSERT' : 'UPDATE'} ${changed.join(' ')}`
    let write = this.#updates.get(statement)
    if (write === undefined) {
      write = this.#prepareWrite(stored === undefined, changed)
      this.#updates.set(statement, write)
    }
    write.run(...values, id)
  }

  /** Takes the values of the columns in their order, then the id. */
  #prepareWrite(isNew: boolean, columns: readonly string[]): Statement<ListColumns[string][]> {
    const marks = columns.map(() => '?').join(', ')
    return this.#db.prepare(
      isNew
        ? `INSERT INTO tasks (${columns.join(', ')}, id) VALUES (${marks}, ?)`
        : `UPDATE tasks SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
    )
  }

  /** Writes what differs from what is stored: of a long playlist, a checkpoint changes one step. */
  #putParts(
    table: Parts,
    taskId: string,
    parts: readonly Part[],
    known: StoredParts | undefined,
  ): StoredParts {
    const { stored, put, remove } = this.#parts[table]
    const before = known ?? new Map(stored.all(taskId).map((row) => [row.id, row]))
    const after: StoredParts = new Map()
    for (const [position, part] of parts.entries()) {
      const body = JSON.stringify(part)
      const row = before.get(part.id)
      after.set(part.id, { position, body })
      if (row?.body === body && row.position === position) continue
      put(taskId, part, position, body)
    }
    for (const id of before.keys()) if (!after.has(id)) remove.run(taskId, id)
    return after
  }

  remove(taskId: string): void {
    this.#written.delete(taskId)
    this.#remove.run(taskId)
  }

  /** Undefined when there is none, or none that can be read. */
  load(id: string): Task | undefined {
    const body = this.#body.get(id)
    return body === undefined ? undefined : this.#read(id, body)
  }

  loadLive(): Task[] {
    const rows = this.#db
      .prepare<[], { id: string; body: string | null }>(
        `SELECT id, body FROM tasks LEFT JOIN task_bodies ON task_id = id WHERE live = 1 ORDER BY seq`,
      )
      .all()
    return rows.map(({ id, body }) => this.#read(id, body ?? '')).filter((task) => task !== undefined)
  }

  #read(id: string, body: string): Task | undefined {
    const files = this.#parts.files.stored.all(id).map((row) => row.body)
    const steps = this.#parts.steps.stored.all(id).map((row) => row.body)
    try {
      const stored = taskSchema.parse({
        ...(JSON.parse(body) as Record<string, unknown>),
        files: files.map((part): unknown => JSON.parse(part)),
        steps: steps.map((part): unknown => JSON.parse(part)),
      })
      const { task, lost } = this.#secrets.open(stored)
      if (lost > 0) this.#quarantine.tell({ table: 'secrets', key: id, reason: lostSecrets })
      return task
    } catch (error) {
      // not the record is at fault but the drive that holds the key
      if (error instanceof SluiceError) throw error
      this.#written.delete(id)
      const everything = JSON.stringify({ body, files, steps })
      this.#quarantine.note({ table: 'tasks', key: id, reason: reasonOf(error), body: everything })
      return undefined
    }
  }
}

function partStatements(db: Connection, table: Parts) {
  return {
    stored: db.prepare<[string], PartRow>(
      `SELECT id, position, body FROM ${table} WHERE task_id = ? ORDER BY position`,
    ),
    put: table === 'steps' ? stepWriter(db) : fileWriter(db),
    remove: db.prepare(`DELETE FROM ${table} WHERE task_id = ? AND id = ?`),
  }
}

type PartWriter = (taskId: string, part: Part, position: number, body: string) => void

function fileWriter(db: Connection): PartWriter {
  const put = db.prepare(
    `INSERT INTO files (task_id, id, position, body) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET position = excluded.position, body = excluded.body`,
  )
  return (taskId, { id }, position, body) => put.run(taskId, id, position, body)
}

/** Steps keep their state beside the JSON: SQL compares it under a token. */
function stepWriter(db: Connection): PartWriter {
  const put = db.prepare(
    `INSERT INTO steps (task_id, id, position, body, state) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET position = excluded.position, body = excluded.body, state = excluded.state`,
  )
  return (taskId, { id, state }, position, body) => put.run(taskId, id, position, body, state ?? null)
}
