/**
 * Every window on a list that is too long to sort at each look, while the list changes: random queries, compared with
 * a filter and a sort that know nothing of indexes.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listColumnsOf } from '../../src/adapters/store/list-columns.ts'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import type { Change } from '../../src/core/ports.ts'
import type { StepState, Task } from '../../src/shared/task/model.ts'
import { listFilters } from '../../src/shared/view.ts'
import type { ListQuery } from '../../src/shared/view.ts'
import { sampleStep, sampleTask } from './sample-task.ts'

/** More than twice as many as are fetched and sorted, so that also a search has to walk an index. */
const many = 9000

const words = [
  'Annual',
  'lecture',
  'ÜNÏCODE',
  '100%_\\',
  '[x]*?',
  '\u{1F600}',
  'ΟΔΟΣ',
  'a\0b',
  '\uD83D!',
  "O'Neil",
]

type Key = number | Buffer | null

interface Row {
  id: string
  text: string
  /** what each sort compares, in its turn */
  keys: Record<ListQuery['sort'], readonly Key[]>
  state: string
  isHidden: boolean
}

function taskAt(index: number, turn: number): Task {
  const id = `task-${index}`
  const mixed = (index * 7919 + turn * 104_729) % 100_003
  const states: readonly StepState[] = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'PAUSED', 'WAITING']
  const state = index < 9 ? 'RUNNING' : (states[mixed % states.length] ?? 'WAITING')
  const size = (mixed % 700) * 1000
  return sampleTask(id, {
    title: `${words[mixed % words.length] ?? ''} ${mixed % 120}${index > many / 4 ? ' later' : ''}.mp4`,
    service: `host${mixed % 7}.example.${mixed % 3 === 0 ? 'net' : 'org'}`,
    createdAt: mixed % 1000,
    finishedAt: state === 'COMPLETED' || state === 'FAILED' ? mixed % 900 : null,
    rank: state === 'WAITING' ? mixed : null,
    files: [{ id: 'f', index: 0, name: 'f', size, selected: true }],
    steps: [
      sampleStep(id, { fileId: 'f', kind: 'download', state, size, doneBytes: (mixed % 4) * (size / 4) }),
    ],
    request: mixed % 50 === 0 ? { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 2 } : null,
  })
}

function folded(text: string): string {
  return text.toLowerCase().replaceAll('\0', ' ').toWellFormed()
}

function rowOf(task: Task): Row {
  const columns = listColumnsOf(task)
  const text = folded(`${task.title}\n${task.service}`)
  const of = (name: string) => Number(columns[name])
  const queue = [of('queue_group'), of('queue_key')]
  return {
    id: task.id,
    text,
    keys: {
      queue,
      state: queue,
      created: [task.createdAt],
      finished: [task.finishedAt],
      // by code point
      title: [Buffer.from(text)],
      size: [of('size')],
      progress: [of('progress')],
    },
    state: String(columns['state']).toLowerCase(),
    isHidden: of('hidden') === 1,
  }
}

/** Nothing comes before everything. */
function compare(a: Key, b: Key): number {
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b)
  const [left, right] = [a === null ? -Infinity : Number(a), b === null ? -Infinity : Number(b)]
  return left === right ? 0 : left - right
}

/** The rows in the order in which they were added. */
function naive(rows: readonly Row[], query: ListQuery): { ids: string[]; total: number } {
  const search = folded(query.search.trim())
  const shown = rows
    .filter((row) => !row.isHidden && (query.filter === 'all' || row.state === query.filter))
    .filter((row) => row.text.includes(search))
  shown.sort((a, b) => {
    const signs = a.keys[query.sort].map((key, index) => compare(key, b.keys[query.sort][index] ?? null))
    return signs.find((sign) => sign !== 0) ?? 0
  })
  if (query.order === 'desc') shown.reverse()
  const ids = shown.slice(query.offset, query.offset + query.limit).map((row) => row.id)
  return { ids, total: shown.length }
}

const sorts = ['queue', 'created', 'title', 'size', 'progress', 'state', 'finished'] as const

const query: fc.Arbitrary<ListQuery> = fc.record({
  filter: fc.constantFrom(...listFilters),
  search: fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      'e',
      'x',
      '1',
      'mp4',
      '.example.org',
      'HOST3.',
      'nothing like it',
      '%',
      '_',
      '\\',
    ),
    fc.constantFrom(...words, 'lect', 'ünï', 'οδος', '*?', '[x]', '\0', '\uD83D', '\u{1F600} 1', '4\nh', 'é'),
    fc.string({ maxLength: 3, unit: 'binary' }),
  ),
  sort: fc.constantFrom(...sorts),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  offset: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: many + 10 })),
  limit: fc.integer({ min: 1, max: 40 }),
})

type Edit = { kind: 'put'; index: number; turn: number } | { kind: 'remove'; index: number }

const edit: fc.Arbitrary<Edit> = fc.oneof(
  // also of tasks that are not there yet
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('put' as const), index: fc.nat(many + 50), turn: fc.nat(99) }),
  },
  fc.record({ kind: fc.constant('remove' as const), index: fc.nat(many) }),
)

describe('a window on a long list', () => {
  let dataFolder: string
  let store: SqliteTaskStore
  /** in the order in which they were added */
  const rows = new Map<string, Row>()

  function changeOf(edited: Edit): Change {
    if (edited.kind === 'remove') {
      rows.delete(`task-${edited.index}`)
      return { kind: 'remove-task', taskId: `task-${edited.index}` }
    }
    const task = taskAt(edited.index, edited.turn)
    rows.set(task.id, rowOf(task))
    return { kind: 'put-task', task }
  }

  beforeEach(async () => {
    rows.clear()
    dataFolder = await mkdtemp(join(tmpdir(), 'sluice-windows-'))
    store = await SqliteTaskStore.open({ dataFolder, inThread: false })
  })
  afterEach(async () => {
    await store.close()
    await rm(dataFolder, { recursive: true })
  })

  it('shows what a filter over all tasks shows', async () => {
    const everything: ListQuery = {
      filter: 'all',
      search: 'e',
      sort: 'title',
      order: 'asc',
      offset: 0,
      limit: 500,
    }
    expect(await store.list(everything)).toMatchObject({ ids: [], total: 0 })
    // so many changes are not noted one by one
    await store.commit(Array.from({ length: many }, (_, index) => changeOf({ kind: 'put', index, turn: 0 })))
    expect(await store.list(everything)).toMatchObject(naive([...rows.values()], everything))
    for (const sort of sorts) {
      for (const order of ['asc', 'desc'] as const) {
        for (const search of ['', 'later']) {
          const asked: ListQuery = { filter: 'all', search, sort, order, offset: 2000, limit: 20 }
          expect(await store.list(asked), JSON.stringify(asked)).toMatchObject(
            naive([...rows.values()], asked),
          )
        }
      }
    }
    const step = fc.record({
      edits: fc.array(edit, { maxLength: 4 }),
      queries: fc.array(query, { minLength: 1, maxLength: 4 }),
      ids: query,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 2 }), async (steps) => {
        for (const { edits, queries, ids } of steps) {
          // in one tick: the first query is asked within the transaction of the commit
          const committed = store.commit(edits.map(changeOf))
          const answers = await Promise.all(queries.map((asked) => store.list(asked)))
          await committed
          const now = [...rows.values()]
          for (const [index, asked] of queries.entries()) {
            expect(answers[index], JSON.stringify(asked)).toMatchObject(naive(now, asked))
          }
          const { filter, search } = ids
          const every: ListQuery = {
            filter,
            search,
            sort: 'created',
            order: 'asc',
            offset: 0,
            limit: Infinity,
          }
          expect(await store.idsOf(ids), JSON.stringify(ids)).toEqual(naive(now, every).ids)
        }
      }),
      { numRuns: Number(process.env['SLUICE_TWIN_RUNS'] ?? 15) },
    )
  })

  it('shows nothing of a transaction that was read in and then failed', async () => {
    const found: ListQuery = {
      filter: 'all',
      search: 'mp4',
      sort: 'queue',
      order: 'asc',
      offset: 0,
      limit: 10,
    }
    await store.commit([changeOf({ kind: 'put', index: 1, turn: 0 })])
    expect(await store.list(found)).toMatchObject({ ids: ['task-1'], total: 1 })
    // what a full disk does to a transaction: all of it is undone, and not only the call that met it
    const other = new Database(join(dataFolder, 'sluice.db'))
    other.exec(`CREATE TRIGGER full BEFORE INSERT ON tasks WHEN NEW.id = 'task-3' BEGIN
      SELECT RAISE(ROLLBACK, 'full');
    END`)
    other.close()
    const batch = await Promise.allSettled([
      store.commit([{ kind: 'put-task', task: taskAt(2, 0) }]),
      store.list(found),
      store.commit([{ kind: 'put-task', task: taskAt(3, 0) }]),
    ])
    expect(batch.map((call) => call.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await store.list(found)).toMatchObject({ ids: ['task-1'], total: 1 })
    await store.commit([{ kind: 'put-task', task: taskAt(2, 0) }])
    expect(await store.list(found)).toMatchObject({ ids: ['task-1', 'task-2'], total: 2 })
  })
})
