/** Windows on the list, from the narrow rows, their indexes (schema.ts) and the texts in memory. */
import type { ListCounts, ListFilter, ListQuery } from '../../shared/view.ts'
import type { TaskState } from '../../shared/task/model.ts'
import type { Connection } from './connection.ts'
import { foldedText, queueGroups } from './list-columns.ts'
import { SearchTexts } from './search-texts.ts'

/** Each sort with the index that answers it; equal keys keep the order in which the tasks were added. */
const sorts: Record<ListQuery['sort'], { columns: readonly string[]; index: string }> = {
  queue: { columns: ['queue_group', 'queue_key', 'seq'], index: 'tasks_by_queue' },
  state: { columns: ['queue_group', 'queue_key', 'seq'], index: 'tasks_by_queue' },
  created: { columns: ['created_at', 'seq'], index: 'tasks_by_created' },
  finished: { columns: ['finished_at', 'seq'], index: 'tasks_by_finished' },
  title: { columns: ['search', 'seq'], index: 'tasks_by_title' },
  size: { columns: ['size', 'seq'], index: 'tasks_by_size' },
  progress: { columns: ['progress', 'seq'], index: 'tasks_by_progress' },
}

const statesOf: Record<Exclude<ListFilter, 'all'>, TaskState> = {
  running: 'RUNNING',
  waiting: 'WAITING',
  paused: 'PAUSED',
  completed: 'COMPLETED',
  failed: 'FAILED',
}

/** Up to so many it takes less time to fetch and sort them than to walk an index of a hundred thousand to its end. */
const fewRows = 4000

type Filter = Pick<ListQuery, 'filter' | 'search'>

/** What a filter shows: how many, and the rows of `tasks` in SQL, for a sort's index or a better one. */
interface Matches {
  total: number
  rows: (index: string) => string
  values: Record<string, string | number | Buffer>
}

/** A window on rows in an order, counted from the nearer end of them. */
function nearerEnd(query: ListQuery, total: number): { isReversed: boolean; limit: number; offset: number } {
  const limit = Math.min(query.limit, total - query.offset)
  const after = total - query.offset - limit
  const isReversed = after < query.offset
  return { isReversed, limit, offset: isReversed ? after : query.offset }
}

/** Rows by their `seq`, in which SQL looks up each row of an index it walks: one byte each, counted from the first. */
function matchesAmongAll(seqs: readonly number[]): Matches {
  let first = Infinity
  let last = 0
  for (const seq of seqs) {
    first = Math.min(first, seq)
    last = Math.max(last, seq)
  }
  const flags = Buffer.alloc(last - first + 1)
  for (const seq of seqs) flags[seq - first] = 1
  return {
    total: seqs.length,
    // seq >= first: a position before the first byte would count from the last
    rows: (index) =>
      `tasks INDEXED BY ${index} WHERE hidden = 0 AND seq >= @first AND substr(@flags, seq - @first + 1, 1) = x'01'`,
    values: { flags, first },
  }
}

function fewMatches(seqs: readonly number[]): Matches {
  return {
    total: seqs.length,
    rows: () => 'tasks WHERE seq IN (SELECT value FROM json_each(@seqs))',
    values: { seqs: JSON.stringify(seqs) },
  }
}

export class ListRecords {
  readonly #db: Connection
  readonly #texts: SearchTexts

  constructor(db: Connection) {
    this.#db = db
    this.#texts = new SearchTexts(db)
  }

  /** To be called when a transaction was rolled back: a list may have been read in it. */
  rolledBack(): void {
    this.#texts.forget()
  }

  list(query: ListQuery): { ids: string[]; total: number; counts: ListCounts } {
    const counts = this.#counts()
    const matches = this.#matches(query, counts)
    const ids = matches.total <= query.offset ? [] : this.#window(query, matches)
    return { ids, total: matches.total, counts }
  }

  #window(query: ListQuery, matches: Matches): string[] {
    const { columns, index } = sorts[query.sort]
    const { isReversed, limit, offset } = nearerEnd(query, matches.total)
    const direction = (query.order === 'asc') === isReversed ? 'DESC' : 'ASC'
    const order = columns.map((column) => `${column} ${direction}`).join(', ')
    const ids = this.#db
      .prepare<[Matches['values']], string>(
        `SELECT id FROM ${matches.rows(index)} ORDER BY ${order} LIMIT @limit OFFSET @offset`,
      )
      .pluck()
      .all({ ...matches.values, limit, offset })
    return isReversed ? ids.reverse() : ids
  }

  /** Deleted tasks that are not purged yet are hidden; values are bound, never written into the statement. */
  #matches({ filter, search }: Filter, counts: ListCounts): Matches {
    const text = foldedText(search.trim())
    const group = filter === 'all' ? null : queueGroups[statesOf[filter]]
    const total = counts[filter]
    if (text !== '') {
      const seqs = this.#texts.matching(text, group)
      // a text that all have need not be asked for again in SQL
      if (seqs.length < total) return seqs.length <= fewRows ? fewMatches(seqs) : matchesAmongAll(seqs)
    }
    if (group === null) {
      return { total, rows: (index) => `tasks INDEXED BY ${index} WHERE hidden = 0`, values: {} }
    }
    const better = total <= fewRows ? sorts.queue.index : null
    return {
      total,
      rows: (index) => `tasks INDEXED BY ${better ?? index} WHERE hidden = 0 AND queue_group = @group`,
      values: { group },
    }
  }

  #counts(): ListCounts {
    const rows = this.#db
      .prepare<[], { state: TaskState; number: number }>('SELECT state, number FROM state_counts')
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

  idsOf(query: Filter): string[] {
    const { rows, values } = this.#matches(query, this.#counts())
    return this.#db
      .prepare<[Matches['values']], string>(
        `SELECT id FROM ${rows(sorts.created.index)} ORDER BY created_at, seq`,
      )
      .pluck()
      .all(values)
  }

  from(source: string): string[] {
    return this.#db
      .prepare<[string], string>(
        'SELECT id FROM tasks WHERE hidden = 0 AND source = ? ORDER BY created_at DESC, seq DESC',
      )
      .pluck()
      .all(source)
  }

  terminalBefore(finishedAt: number): string[] {
    return this.#db
      .prepare<[number], string>(
        `SELECT id FROM tasks WHERE state IN ('COMPLETED', 'FAILED', 'CANCELLED')
         AND finished_at < ? ORDER BY finished_at, seq`,
      )
      .pluck()
      .all(finishedAt)
  }
}
