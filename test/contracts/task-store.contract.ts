/** What every `TaskStore` promises; run on SQLite's and on the fake, so that the fake may stand in for it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Claim, TaskStore } from '../../src/core/ports.ts'
import { defaultSettings } from '../../src/shared/default-settings.ts'
import type { StepState, Task } from '../../src/shared/task/model.ts'
import { sourceKey } from '../../src/shared/task/source-key.ts'
import type { ListQuery } from '../../src/shared/view.ts'
import { sampleAttempt, sampleJob, sampleStep, sampleTask } from './sample-task.ts'

/** A store and a way to give it its next life over the same durable data. */
export interface StoreUnderTest {
  store: TaskStore
  reopen(): Promise<TaskStore>
  dispose(): Promise<void>
}

const everything: ListQuery = {
  filter: 'all',
  search: '',
  sort: 'created',
  order: 'asc',
  offset: 0,
  limit: 100,
}

const ended = {
  at: 50,
  state: 'COMPLETED' as const,
  title: 'A',
  service: 'Example.org',
  outputs: ['/d/a'],
  error: null,
  doneBytes: 3,
}

function taskIn(id: string, state: StepState, overrides: Partial<Task> = {}): Task {
  return sampleTask(id, { steps: [sampleStep(id, { state })], ...overrides })
}

function running(id: string, token: number): Task {
  return taskIn(id, 'RUNNING', { attempt: sampleAttempt(id, token), rank: null })
}

export function taskStoreContract(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`task store: ${name}`, () => {
    let under: StoreUnderTest
    let store: TaskStore

    beforeEach(async () => {
      under = await open()
      store = under.store
    })
    afterEach(() => under.dispose())

    const put = (...tasks: Task[]) => store.commit(tasks.map((task) => ({ kind: 'put-task', task })))

    it('gives back a task as it was committed, also in the next life', async () => {
      const task = sampleTask('a', { title: 'Ünï \u{1F600}' })
      expect(await put(task)).toEqual({ kind: 'committed' })
      expect(await store.load('a')).toEqual(task)
      store = await under.reopen()
      expect(await store.load('a')).toEqual(task)
      expect(await store.load('b')).toBeUndefined()
    })

    it('keeps its own copy: what the caller changes later is not stored', async () => {
      const task = sampleTask('a')
      await put(task)
      task.title = 'changed'
      expect((await store.load('a'))?.title).toBe('Task a')
    })

    it('writes all changes of a commit or none', async () => {
      await put(running('a', 7))
      const result = await store.commit([
        { kind: 'put-task', task: sampleTask('b') },
        { kind: 'put-settings', settings: { ...defaultSettings('/d'), maxConcurrentTasks: 9 } },
        { kind: 'require-running', taskId: 'a', stepId: 'step-a', token: 8 },
      ])
      expect(result).toEqual({ kind: 'stale' })
      expect(await store.load('b')).toBeUndefined()
      expect(await store.loadSettings()).toEqual({})
    })

    it('invariant 12: a terminal write counts only while the step is RUNNING under that token', async () => {
      await put(running('a', 7))
      const guarded = (stepId: string, token: number) =>
        store.commit([
          { kind: 'require-running', taskId: 'a', stepId, token },
          { kind: 'put-task', task: taskIn('a', 'COMPLETED', { rank: null }) },
        ])
      expect(await guarded('step-a', 6)).toEqual({ kind: 'stale' })
      expect(await guarded('step-b', 7)).toEqual({ kind: 'stale' })
      expect(await guarded('step-a', 7)).toEqual({ kind: 'committed' })
      expect(await guarded('step-a', 7)).toEqual({ kind: 'stale' })
    })

    it('groups calls of one tick without mixing their fates', async () => {
      await put(running('a', 7))
      const results = await Promise.all([
        put(sampleTask('b')),
        store.commit([
          { kind: 'put-task', task: sampleTask('c') },
          { kind: 'require-running', taskId: 'a', stepId: 'step-a', token: 1 },
        ]),
        put(sampleTask('d')),
      ])
      expect(results.map((result) => result.kind)).toEqual(['committed', 'stale', 'committed'])
      expect((await store.loadMany(['b', 'c', 'd'])).map((task) => task.id)).toEqual(['b', 'd'])
    })

    it('replaces the steps of a task, those that are gone too', async () => {
      await put(sampleTask('a', { steps: [sampleStep('1'), sampleStep('2', { index: 1 })] }))
      await put(sampleTask('a', { steps: [sampleStep('3'), sampleStep('2', { index: 1, state: 'PAUSED' })] }))
      const steps = (await store.load('a'))?.steps ?? []
      expect(steps.map((step) => [step.id, step.state])).toEqual([
        ['step-3', 'WAITING'],
        ['step-2', 'PAUSED'],
      ])
    })

    it('loads as live what is not terminal or has a request to carry out', async () => {
      await put(
        taskIn('waiting', 'WAITING'),
        taskIn('paused', 'PAUSED', { rank: null }),
        taskIn('done', 'COMPLETED', { rank: null }),
        taskIn('failed', 'FAILED', { rank: null }),
        taskIn('doomed', 'COMPLETED', {
          rank: null,
          request: { kind: 'delete', at: 1, deleteFiles: true, purgeAt: 2 },
        }),
      )
      const { tasks, quarantined } = await store.loadLive()
      expect(tasks.map((task) => task.id).sort()).toEqual(['doomed', 'paused', 'waiting'])
      expect(quarantined).toEqual([])
    })

    it('gives tokens that rise for ever', async () => {
      const first = await store.nextToken()
      const more = await Promise.all([store.nextToken(), store.nextToken()])
      store = await under.reopen()
      const tokens = [first, ...more, await store.nextToken()]
      expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
      expect(new Set(tokens).size).toBe(4)
    })

    it('invariant 4: a job that has ended never changes and is in the history once', async () => {
      await store.commit([{ kind: 'put-job', job: sampleJob('a') }])
      expect(await store.history({ limit: 10 })).toEqual([])
      await store.commit([{ kind: 'put-job', job: sampleJob('a', { end: ended }) }])
      await store.commit([{ kind: 'put-job', job: sampleJob('a', { end: { ...ended, state: 'FAILED' } }) }])
      await store.commit([{ kind: 'put-job', job: sampleJob('b', { end: { ...ended, at: 60 } }) }])
      const history = await store.history({ limit: 10 })
      expect(history.map((job) => [job.id, job.end?.state])).toEqual([
        ['job-b', 'COMPLETED'],
        ['job-a', 'COMPLETED'],
      ])
      expect(await store.history({ limit: 1, service: 'EXAMPLE.ORG' })).toHaveLength(1)
      expect(await store.history({ limit: 10, service: 'other' })).toEqual([])
      await store.trimHistory(1)
      expect((await store.history({ limit: 10 })).map((job) => job.id)).toEqual(['job-b'])
    })

    it('keeps ended jobs as history when their task is removed, and drops an open one', async () => {
      await store.commit([
        { kind: 'put-task', task: sampleTask('a') },
        { kind: 'put-job', job: sampleJob('a') },
        { kind: 'put-job', job: sampleJob('a', { id: 'ended', end: ended }) },
        { kind: 'put-attempt', attempt: { ...sampleAttempt('a', 1), end: { at: 3, reason: 'finished' } } },
        { kind: 'put-attempt', attempt: sampleAttempt('a', 2) },
        {
          kind: 'put-claims',
          taskId: 'a',
          claims: [{ taskId: 'a', kind: 'output', path: '/d/A', foldedPath: '/d/a' }],
        },
      ])
      await store.commit([{ kind: 'remove-task', taskId: 'a' }])
      expect(await store.load('a')).toBeUndefined()
      expect(await store.job('job-a')).toBeUndefined()
      expect((await store.history({ limit: 10 })).map((job) => job.id)).toEqual(['ended'])
      expect(await store.claimsOn('/d/a')).toEqual([])
      // its process may still have to be killed
      expect((await store.openAttempts()).map((attempt) => attempt.token)).toEqual([2])
      expect(await store.attempts('a')).toHaveLength(1)
    })

    it('finds claims by folded path and replaces those of a task', async () => {
      const claim = { taskId: 'a', kind: 'output' as const, path: '/d/A', foldedPath: '/d/a' }
      await store.commit([{ kind: 'put-claims', taskId: 'a', claims: [claim] }])
      expect(await store.claimsOn('/d/a')).toEqual([claim])
      await store.commit([
        { kind: 'put-claims', taskId: 'a', claims: [{ ...claim, path: '/d/B', foldedPath: '/d/b' }] },
      ])
      expect(await store.claimsOn('/d/a')).toEqual([])
      expect(await store.claimsOf('a')).toHaveLength(1)
    })

    it('refuses a commit when another task holds a path that it requires unclaimed', async () => {
      const claim = (taskId: string): Claim => ({ taskId, kind: 'output', path: '/d/A', foldedPath: '/d/a' })
      const claiming = (taskId: string) =>
        store.commit([
          { kind: 'put-claims', taskId, claims: [claim(taskId)] },
          { kind: 'require-unclaimed', taskId, foldedPath: '/d/a' },
        ])
      const results = await Promise.all(['a', 'b', 'a'].map(claiming))
      expect(results.map(({ kind }) => kind)).toEqual(['committed', 'stale', 'committed'])
      expect(await store.claimsOn('/d/a')).toEqual([claim('a')])
    })

    it('refuses a commit when a task that it requires ended goes on, or is about to', async () => {
      const ended = taskIn('a', 'COMPLETED', { rank: null })
      const requiring = () =>
        store.commit([
          { kind: 'put-claims', taskId: 'b', claims: [] },
          { kind: 'require-ended', taskId: 'a' },
        ])
      expect((await requiring()).kind).toBe('committed')
      await put(ended)
      expect((await requiring()).kind).toBe('committed')
      await put({ ...ended, request: { kind: 'redownload', at: 1 } })
      expect((await requiring()).kind).toBe('stale')
      await put(sampleTask('a'))
      expect((await requiring()).kind).toBe('stale')
    })

    it('lists open attempts oldest first, and those of a task newest first', async () => {
      const [one, two] = [sampleAttempt('a', 1), sampleAttempt('a', 2)]
      await store.commit([one, two].map((attempt) => ({ kind: 'put-attempt', attempt })))
      expect((await store.openAttempts()).map((attempt) => attempt.token)).toEqual([1, 2])
      expect((await store.attempts('a')).map((attempt) => attempt.token)).toEqual([2, 1])
      await store.commit([
        { kind: 'put-attempt', attempt: { ...one, end: { at: 3, reason: 'finished' as const } } },
      ])
      expect((await store.openAttempts()).map((attempt) => attempt.token)).toEqual([2])
    })

    it('refuses what is asked after it was closed', async () => {
      await store.close()
      await expect(put(sampleTask('a'))).rejects.toThrow()
      await expect(store.load('a')).rejects.toThrow()
      store = await under.reopen()
      expect(await store.load('a')).toBeUndefined()
    })

    it('answers what was asked before it was closed', async () => {
      const asked = [put(sampleTask('a')), put(sampleTask('b'))]
      await store.close()
      expect(await Promise.all(asked)).toEqual([{ kind: 'committed' }, { kind: 'committed' }])
      store = await under.reopen()
      expect((await store.loadLive()).tasks).toHaveLength(2)
    })

    it('shows what runs in the order in which it was started, then the queue, then the latest', async () => {
      await put(
        taskIn('ended-first', 'COMPLETED', { rank: null, finishedAt: 5 }),
        taskIn('ended-last', 'COMPLETED', { rank: null, finishedAt: 6 }),
        taskIn('second', 'WAITING', { rank: 9 }),
        taskIn('first', 'WAITING', { rank: 8 }),
        running('started-later', 12),
        running('started-before', 11),
      )
      const { ids } = await store.list({ ...everything, sort: 'queue' })
      expect(ids).toEqual(['started-before', 'started-later', 'first', 'second', 'ended-last', 'ended-first'])
    })

    it('finds tasks by what they fetch into which folder, the newest first', async () => {
      const same = sampleTask('a').parameters
      await put(
        sampleTask('a', { createdAt: 1 }),
        sampleTask('elsewhere', { parameters: { ...same, folder: '/other' } }),
        sampleTask('b', { createdAt: 2, parameters: { ...same, connections: 3 } }),
        sampleTask('gone', {
          parameters: same,
          request: { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 2 },
        }),
      )
      expect(await store.tasksFrom(sourceKey(same))).toEqual(['b', 'a'])
      store = await under.reopen()
      expect(await store.tasksFrom(sourceKey(same))).toEqual(['b', 'a'])
      expect(await store.tasksFrom(sourceKey({ ...same, folder: '/nowhere' }))).toEqual([])
    })

    it('remembers what hosts bear, the last word each', async () => {
      const limit = (host: string, connections: number) => ({
        kind: 'put-host-limit' as const,
        limit: { host, connections, learntAt: connections },
      })
      await store.commit([limit('b.test', 4), limit('a.test:81', 2), limit('b.test', 3)])
      store = await under.reopen()
      expect(await store.hostLimits()).toEqual([
        { host: 'a.test:81', connections: 2, learntAt: 2 },
        { host: 'b.test', connections: 3, learntAt: 3 },
      ])
    })

    it('keeps settings', async () => {
      expect(await store.loadSettings()).toEqual({})
      const settings = { ...defaultSettings('/d'), maxConcurrentTasks: 7 }
      await store.commit([{ kind: 'put-settings', settings }])
      store = await under.reopen()
      expect(await store.loadSettings()).toEqual(settings)
    })

    it('windows the list by filter, search, sort and offset, with counts of all', async () => {
      await put(
        taskIn('a', 'RUNNING', { title: 'Beta', rank: null, createdAt: 1 }),
        taskIn('b', 'WAITING', { title: 'alpha', rank: 2, createdAt: 2 }),
        taskIn('c', 'WAITING', { title: 'Gamma %', rank: 1, createdAt: 3 }),
        taskIn('d', 'COMPLETED', { title: 'delta', rank: null, createdAt: 4, finishedAt: 9 }),
        taskIn('e', 'FAILED', { title: 'epsilon', rank: null, createdAt: 5, finishedAt: 8 }),
        taskIn('gone', 'WAITING', { request: { kind: 'delete', at: 1, deleteFiles: false, purgeAt: 2 } }),
      )
      const ids = async (query: Partial<ListQuery>) => (await store.list({ ...everything, ...query })).ids
      expect(await store.list(everything)).toEqual({
        ids: ['a', 'b', 'c', 'd', 'e'],
        total: 5,
        counts: { all: 5, running: 1, waiting: 2, paused: 0, completed: 1, failed: 1 },
      })
      expect(await ids({ sort: 'queue' })).toEqual(['a', 'c', 'b', 'e', 'd'])
      expect(await ids({ sort: 'title' })).toEqual(['b', 'a', 'd', 'e', 'c'])
      expect(await ids({ sort: 'title', order: 'desc', offset: 1, limit: 2 })).toEqual(['e', 'd'])
      expect(await ids({ filter: 'waiting', sort: 'queue' })).toEqual(['c', 'b'])
      expect(await store.list({ ...everything, search: ' ALPH ' })).toMatchObject({ ids: ['b'], total: 1 })
      expect(await ids({ search: '%' })).toEqual(['c'])
      expect(await store.idsOf({ filter: 'all', search: 'eta' })).toEqual(['a'])
      expect(await store.terminalBefore(9)).toEqual(['e'])
    })
  })
}
