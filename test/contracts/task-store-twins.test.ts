/**
 * The fake stands in for SQLite in all tests of the core, so every answer must be the same: random commits and
 * questions to both, compared.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import type { Change, TaskStore } from '../../src/core/ports.ts'
import { stepStates } from '../../src/shared/task/model.ts'
import { listFilters } from '../../src/shared/view.ts'
import { InMemoryTaskStore } from './in-memory-task-store.ts'
import { sourceKey } from '../../src/shared/task/source-key.ts'
import { sampleAttempt, sampleJob, sampleStep, sampleTask } from './sample-task.ts'

const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const text = fc.oneof(
  fc.constantFrom('Alpha', 'alpha 2', 'ÉTÉ', '100%_\\', '\u{1F600}\uFFFD', ''),
  fc.string({ maxLength: 6 }),
)
const small = fc.integer({ min: 0, max: 5 })

const task = fc
  .record({
    id: ids,
    title: text,
    service: text,
    states: fc.array(fc.constantFrom(...stepStates), { minLength: 1, maxLength: 3 }),
    selected: fc.boolean(),
    size: fc.option(small),
    rank: fc.option(small),
    createdAt: small,
    finishedAt: fc.option(small),
    token: fc.option(fc.integer({ min: 1, max: 4 })),
    deleting: fc.boolean(),
  })
  .map(({ id, states, selected, size, token, deleting, ...rest }) =>
    sampleTask(id, {
      ...rest,
      files: [{ id: 'f', index: 0, name: 'f', size, selected }],
      steps: states.map((state, index) =>
        sampleStep(id, {
          id: `s${index}`,
          index,
          state,
          kind: index === 0 ? 'resolve' : 'download',
          size,
          fileId: index === 0 ? null : 'f',
        }),
      ),
      attempt: token === null ? null : sampleAttempt(id, token),
      request: deleting ? { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 2 } : null,
    }),
  )

const job = fc
  .record({ taskId: ids, number: small, end: fc.option(fc.record({ at: small, service: text })) })
  .map(({ taskId, number, end }) =>
    sampleJob(taskId, {
      id: `job-${taskId}-${number}`,
      end:
        end === null ? null : { ...end, state: 'FAILED', title: 't', outputs: [], error: null, doneBytes: 0 },
    }),
  )

const attempt = fc
  .record({ taskId: ids, ended: fc.boolean() })
  // a token is given once: the task of an attempt follows from it
  .map(({ taskId, ended }) => ({
    ...sampleAttempt(taskId, taskId.charCodeAt(0)),
    end: ended ? { at: 1, reason: 'finished' as const } : null,
  }))

const claim = fc.record({ kind: fc.constantFrom('output' as const, 'working-folder' as const), path: text })

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: task.map((value): Change => ({ kind: 'put-task', task: value })) },
  ids.map((taskId): Change => ({ kind: 'remove-task', taskId })),
  job.map((value): Change => ({ kind: 'put-job', job: value })),
  attempt.map((value): Change => ({ kind: 'put-attempt', attempt: value })),
  fc.tuple(ids, fc.array(claim, { maxLength: 2 })).map(([taskId, claims]): Change => ({
    kind: 'put-claims',
    taskId,
    claims: claims.map((one) => ({ ...one, taskId, foldedPath: one.path.toLowerCase() })),
  })),
  fc
    .record({ taskId: ids, token: fc.integer({ min: 1, max: 4 }) })
    .map((value): Change => ({ kind: 'require-running', stepId: 's0', ...value })),
)

const query = fc.record({
  filter: fc.constantFrom(...listFilters),
  search: text,
  sort: fc.constantFrom('queue', 'created', 'title', 'size', 'progress', 'state', 'finished'),
  order: fc.constantFrom('asc' as const, 'desc' as const),
  offset: small,
  limit: fc.integer({ min: 1, max: 5 }),
})

type Question = (store: TaskStore) => Promise<unknown>

const question: fc.Arbitrary<Question> = fc.oneof(
  {
    weight: 3,
    arbitrary: query.map(
      (value): Question =>
        (store) =>
          store.list(value),
    ),
  },
  query.map(
    (value): Question =>
      (store) =>
        store.idsOf(value),
  ),
  ids.map(
    (id): Question =>
      (store) =>
        store.load(id),
  ),
  fc.array(ids).map(
    (list): Question =>
      (store) =>
        store.loadMany(list),
  ),
  ids.map(
    (id): Question =>
      (store) =>
        store.attempts(id),
  ),
  ids.map(
    (id): Question =>
      (store) =>
        store.claimsOf(id),
  ),
  text.map(
    (path): Question =>
      (store) =>
        store.claimsOn(path.toLowerCase()),
  ),
  small.map(
    (time): Question =>
      (store) =>
        store.terminalBefore(time),
  ),
  ids.map(
    (id): Question =>
      (store) =>
        store.tasksFrom(sourceKey(sampleTask(id).parameters)),
  ),
  fc.tuple(small, fc.option(text, { nil: undefined })).map(
    ([limit, service]): Question =>
      (store) =>
        store.history(service === undefined ? { limit } : { limit, service }),
  ),
  small.map(
    (keep): Question =>
      (store) =>
        store.trimHistory(keep),
  ),
  fc.constant<Question>((store) => store.openAttempts()),
  fc.constant<Question>((store) => store.loadLive()),
)

it('SQLite and the fake give the same answers to the same life', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-twins-'))
  const sqlite = await SqliteTaskStore.open({ dataFolder })
  const step = fc.oneof(
    fc.array(change, { minLength: 1, maxLength: 4 }).map(
      (changes): Question =>
        (store) =>
          store.commit(changes),
    ),
    question,
  )
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const fake = new InMemoryTaskStore()
        await sqlite.commit(
          ['a', 'b', 'c', 'd', 'e'].flatMap((taskId): Change[] => [
            {
              kind: 'put-attempt',
              attempt: { ...sampleAttempt(taskId, taskId.charCodeAt(0)), end: { at: 1, reason: 'lost' } },
            },
            { kind: 'remove-task', taskId },
          ]),
        )
        await sqlite.trimHistory(0)
        for (const ask of steps) expect(await ask(sqlite)).toEqual(await ask(fake))
      }),
      { numRuns: Number(process.env['SLUICE_TWIN_RUNS'] ?? 60) },
    )
  } finally {
    await sqlite.close()
    await rm(dataFolder, { recursive: true })
  }
})

it('SQLite and the fake show the same windows on a list that is too long to sort at each look', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-twins-'))
  const sqlite = await SqliteTaskStore.open({ dataFolder })
  const fake = new InMemoryTaskStore()
  try {
    const changes = Array.from({ length: 5000 }, (_, index): Change => {
      const states = ['COMPLETED', 'COMPLETED', 'FAILED', 'PAUSED', 'WAITING'] as const
      const id = `task-${(index * 7919) % 5000}`
      const state = index < 9 ? 'RUNNING' : (states[index % 5] ?? 'WAITING')
      const title = `${index % 3 === 0 ? 'often' : 'rarer'} ${index % 100}`
      const rank = state === 'WAITING' ? index : null
      return {
        kind: 'put-task',
        task: sampleTask(id, { title, rank, createdAt: index % 1000, steps: [sampleStep(id, { state })] }),
      }
    })
    for (const store of [sqlite, fake]) await store.commit(changes)
    for (const filter of ['all', 'completed', 'running', 'waiting'] as const) {
      for (const search of ['', 'ra', 'often', 'often 99', 'never']) {
        for (const offset of [0, 900, 4950]) {
          const asked = { filter, search, sort: 'created', order: 'desc', offset, limit: 20 } as const
          expect(await sqlite.list(asked)).toEqual(await fake.list(asked))
        }
      }
    }
  } finally {
    await sqlite.close()
    await rm(dataFolder, { recursive: true })
  }
})
