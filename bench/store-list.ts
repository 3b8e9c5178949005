/**
 * `node bench/store-list.ts [tasks]`: what the task list costs with many tasks in the database. Prints, for each kind
 * of query, median, 95th percentile and maximum of the round trip through the store's thread. Target: ≤ 20 ms at the
 * 95th percentile with 100 000 tasks; the first search of a life reads the texts and is told apart.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteTaskStore } from '../src/adapters/store/sqlite-task-store.ts'
import type { StepState, Task } from '../src/shared/task/model.ts'
import { listFilters } from '../src/shared/view.ts'
import type { ListQuery } from '../src/shared/view.ts'
import { sampleJob, sampleStep, sampleTask } from '../test/contracts/sample-task.ts'

const count = Number(process.argv[2] ?? 100_000)
const rounds = 15
const targetMs = 20

const words = [
  'annual',
  'report',
  'lecture',
  'Ünïcode',
  'holiday',
  'series',
  'episode',
  'backup',
  'concert',
  'talk',
]

/** A list as it is after years: nearly all finished, some failed, a queue of a thousand, a few running. */
function stateOf(index: number): StepState {
  if (index < 20) return 'RUNNING'
  if (index < 1000) return 'WAITING'
  if (index < 1500) return 'PAUSED'
  return index % 40 === 0 ? 'FAILED' : index % 97 === 0 ? 'CANCELLED' : 'COMPLETED'
}

function taskAt(index: number): Task {
  const id = (index * 2_654_435_761).toString(16).padStart(24, '0')
  const state = stateOf(index)
  const ended = ['COMPLETED', 'FAILED', 'CANCELLED'].includes(state)
  const size = (index * 7919) % 5_000_000_000
  // of one year are tasks that stand together in most orders
  const year = 2005 + Math.floor((index * 20) / count)
  const title = `${words[index % 10] ?? ''} ${words[(index >> 4) % 10] ?? ''} ${index} (${year}).mp4`
  return sampleTask(id, {
    createdAt: 1_700_000_000_000 + index * 1000,
    title,
    service: `host${index % 50}.example.org`,
    files: [{ id: `file-${id}`, index: 0, name: title, size, selected: true }],
    steps: [
      sampleStep(id, { id: `resolve-${id}`, state: 'COMPLETED', fraction: 1 }),
      sampleStep(id, {
        fileId: `file-${id}`,
        kind: 'download',
        state,
        size,
        doneBytes: state === 'COMPLETED' ? size : 0,
        fraction: state === 'COMPLETED' ? 1 : 0,
      }),
    ],
    job: sampleJob(id),
    rank: state === 'WAITING' ? index : null,
    finishedAt: ended ? 1_700_000_000_000 + index * 1001 : null,
  })
}

const base: ListQuery = { filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 100 }

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

async function timesOf(run: () => Promise<unknown>, times = rounds): Promise<number[]> {
  const samples: number[] = []
  for (let round = 0; round < times; round++) {
    const start = performance.now()
    await run()
    samples.push(performance.now() - start)
  }
  return samples
}

function report(name: string, samples: readonly number[], target: number | null): void {
  const figures = [0.5, 0.95, 1].map((share) => percentile(samples, share).toFixed(1).padStart(8))
  const verdict = target === null ? '' : percentile(samples, 0.95) <= target ? 'ok' : `over ${target} ms`
  console.log(`${name.padEnd(44)}${figures.join('')}  ${verdict}`)
}

async function fill(store: SqliteTaskStore): Promise<void> {
  const chunk = 500
  for (let from = 0; from < count; from += chunk) {
    const tasks = Array.from({ length: Math.min(chunk, count - from) }, (_, offset) => taskAt(from + offset))
    await store.commit(tasks.map((task) => ({ kind: 'put-task', task })))
  }
}

const sorts = ['queue', 'created', 'title', 'size', 'progress', 'state', 'finished'] as const
const orders = ['asc', 'desc'] as const

async function measureSorts(store: SqliteTaskStore): Promise<void> {
  const offsets = [0, Math.floor(count / 2), count - 100]
  for (const sort of sorts) {
    const samples: number[] = []
    for (const filter of listFilters) {
      for (const order of orders) {
        for (const offset of offsets) {
          samples.push(...(await timesOf(() => store.list({ ...base, sort, filter, order, offset }), 5)))
        }
      }
    }
    report(`sort by ${sort}, all filters and offsets`, samples, targetMs)
  }
}

/** In every text, in many, in few, in none; together and apart; one letter, other letters, and what LIKE reads. */
const searches = [
  'e',
  'é',
  'zz',
  '99',
  '_',
  '%',
  'lecture',
  'LECTURE',
  '.example.org',
  'host7.',
  '(20',
  '(201',
  '(2007)',
  'episode 9',
  'ÜNÏCODE 99',
  `${count - 1}`,
  'nothing like it',
]

/** One search in each sort, order and filter, at the beginning, in the middle and at the end of what it finds. */
async function searchTimes(store: SqliteTaskStore, search: string): Promise<number[]> {
  const samples: number[] = []
  for (const filter of listFilters) {
    const { total } = await store.list({ ...base, search, filter })
    const offsets = new Set([0, Math.floor(total / 2), Math.max(0, total - 100)])
    for (const sort of sorts) {
      for (const order of orders) {
        for (const offset of offsets) {
          samples.push(
            ...(await timesOf(() => store.list({ search, filter, sort, order, offset, limit: 100 }), 2)),
          )
        }
      }
    }
  }
  return samples
}

async function measureSearches(store: SqliteTaskStore): Promise<void> {
  report('first search', await timesOf(() => store.list({ ...base, search: 'lecture' }), 1), null)
  for (const search of searches) {
    report(`search "${search}", all of these`, await searchTimes(store, search), targetMs)
  }
  let round = 0
  const afterChanges: number[] = []
  for (let turn = 0; turn < rounds; turn++) {
    const tasks = Array.from({ length: 500 }, (_, index) => {
      const task = taskAt(index + 20)
      return { ...task, title: `${task.title} ${++round}` }
    })
    await store.commit(tasks.map((task) => ({ kind: 'put-task', task })))
    afterChanges.push(...(await timesOf(() => store.list({ ...base, search: 'lecture' }), 1)))
  }
  report('search "lecture" after 500 new titles', afterChanges, targetMs)
}

async function measureIds(store: SqliteTaskStore): Promise<void> {
  report('ids of a filter', await timesOf(() => store.idsOf({ filter: 'failed', search: '' })), null)
  report('ids of everything', await timesOf(() => store.idsOf({ filter: 'all', search: '' })), null)
}

async function measureWrites(store: SqliteTaskStore): Promise<void> {
  const running = Array.from({ length: 20 }, (_, index) => taskAt(index))
  const checkpoints = (doneBytes: number) =>
    running.map((task) => {
      const steps = task.steps.map((step) => ({ ...step, doneBytes, fraction: (doneBytes % 1000) / 1000 }))
      return store.commit([{ kind: 'put-task', task: { ...task, steps } }])
    })
  let done = 0
  report('one checkpoint', await timesOf(() => checkpoints(++done)[0] ?? Promise.resolve(), 50), null)
  report(
    'checkpoints of 20 tasks in one tick',
    await timesOf(() => Promise.all(checkpoints(++done)), 50),
    null,
  )
}

async function main(): Promise<void> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-bench-'))
  try {
    let store = await SqliteTaskStore.open({ dataFolder })
    const start = performance.now()
    await fill(store)
    console.log(`${count} tasks put in ${((performance.now() - start) / 1000).toFixed(1)} s`)
    await store.close()
    const megabytes = (await stat(join(dataFolder, 'sluice.db'))).size / 1e6
    console.log(`database of ${megabytes.toFixed(0)} MB\n${'ms'.padEnd(44)}  median     p95     max`)
    const opens: number[] = []
    for (let round = 0; round < 3; round++) {
      opens.push(...(await timesOf(async () => (store = await SqliteTaskStore.open({ dataFolder })), 1)))
      if (round < 2) await store.close()
    }
    report('open', opens, null)
    report('load what is live', await timesOf(() => store.loadLive(), 3), null)
    await measureSorts(store)
    await measureSearches(store)
    await measureIds(store)
    await measureWrites(store)
    await store.close()
  } finally {
    await rm(dataFolder, { recursive: true })
  }
}

await main()
