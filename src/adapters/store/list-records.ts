/** Windows on the list. Every sort has a covering index, so an offset of fifty thousand reads no task at all. */
import type { ListCounts, ListFilter, ListQuery } from '../../shared/view.ts'
import type { TaskState } from '../../shared/task/model.ts'
import type { Connection } from './database.ts'

const sortColumns: Record<ListQuery['sort'], readonly string[]> = {
  queue: ['queue_group', 'queue_key', 'id'],
  created: ['created_at', 'id'],
  title: ['title_key', 'id'],
  size: ['size', 'id'],
  progress: ['progress', 'id'],
  state: ['queue_group', 'id'],
  finished: ['finished_at', 'id'],
}

const statesOf: Record<Exclude<ListFilter, 'all'>, TaskState> = {
  running: 'RUNNING',
  waiting: 'WAITING',
  paused: 'PAUSED',
  completed: 'COMPLETED',
  failed: 'FAILED',
}

interface Condition {
  where: string
  values: { state: string; search: string }
}

/** Deleted tasks that are not purged yet are hidden; values are bound, never written into the statement. */
function conditionOf(query: Pick<ListQuery, 'filter' | 'search'>): Condition {
  const search = query.search.trim().toLowerCase()
  const parts = ['hidden = 0']
  if (query.filter !== 'all') parts.push('state = @state')
  if (search !== '') parts.push('instr(search, @search) > 0')
  return {
    where: parts.join(' AND '),
    values: { state: query.filter === 'all' ? '' : statesOf[query.filter], search },
  }
}

export class ListRecords {
  readonly #db: Connection

  constructor(db: Connection) {
    this.#db = db
  }

  list(query: ListQuery): { ids: string[]; total: number; counts: ListCounts } {
    const { where, values } = conditionOf(query)
    const direction = query.order === 'asc' ? 'ASC' : 'DESC'
    const order = sortColumns[query.sort].map((column) => `${column} ${direction}`).join(', ')
    const ids = this.#db
      .prepare<[Condition['values'] & { limit: number; offset: number }], string>(
        `SELECT id FROM tasks WHERE ${where} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
      )
      .pluck()
      .all({ ...values, limit: query.limit, offset: query.offset })
    const counts = this.counts()
    const total = values.search === '' ? counts[query.filter] : this.#count(where, values)
    return { ids, total, counts }
  }

  #count(where: string, values: Condition['values']): number {
    return Number(
      this.#db
        .prepare(`SELECT count(*) FROM tasks INDEXED BY tasks_by_search WHERE ${where}`)
        .pluck()
        .get(values),
    )
  }

  counts(): ListCounts {
    const rows = this.#db
      .prepare<[], { state: TaskState; number: number }>(
        'SELECT state, count(*) AS number FROM tasks WHERE hidden = 0 GROUP BY state',
      )
      .all()
    const of = (state: TaskState) => rows.find((row) => row.state === state)?.number ?? 0
    return {
      all: rows.reduce((sum, row) => sum + row.number, 0),
      running: of('RUNNING'),
      waiting: of('WAITING'),
      paused: of('PAUSED'),
      completed: of('COMPLETED'),
      failed: of('FAILED'),
    }
  }

  idsOf(query: Pick<ListQuery, 'filter' | 'search'>): string[] {
    const { where, values } = conditionOf(query)
    return this.#db
      .prepare<[Condition['values']], string>(`SELECT id FROM tasks WHERE ${where} ORDER BY created_at, id`)
      .pluck()
      .all(values)
  }

  terminalBefore(finishedAt: number): string[] {
    return this.#db
      .prepare<[number], string>(
        `SELECT id FROM tasks WHERE state IN ('COMPLETED', 'FAILED', 'CANCELLED')
         AND finished_at > 0 AND finished_at < ? ORDER BY id`,
      )
      .pluck()
      .all(finishedAt)
  }
}
