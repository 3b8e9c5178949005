import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { InMemoryTaskStore } from './in-memory-task-store.ts'
import { sampleAttempt, sampleTask } from './sample-task.ts'
import { taskStoreContract } from './task-store.contract.ts'

taskStoreContract('in memory', () => {
  let store = new InMemoryTaskStore()
  return Promise.resolve({
    store,
    reopen: () => Promise.resolve((store = store.reopen())),
    dispose: () => store.close(),
  })
})

for (const inThread of [true, false]) {
  taskStoreContract(inThread ? 'SQLite in its thread' : 'SQLite in this thread', async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-store-'))
    let store = await SqliteTaskStore.open({ dataFolder, inThread })
    return {
      store,
      reopen: async () => {
        await store.close()
        return (store = await SqliteTaskStore.open({ dataFolder, inThread }))
      },
      dispose: async () => {
        await store.close()
        await rm(dataFolder, { recursive: true })
      },
    }
  })
}

describe('a batch of calls in SQLite', () => {
  let dataFolder: string
  let store: SqliteTaskStore

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'sluice-store-'))
    store = await SqliteTaskStore.open({ dataFolder, inThread: false })
  })
  afterEach(async () => {
    await store.close()
    await rm(dataFolder, { recursive: true })
  })

  it('undoes a call that fails alone: those before and after it in the batch are committed', async () => {
    const attempt = (id: string) =>
      ({ kind: 'put-attempt', attempt: { ...sampleAttempt(id, 7), id } }) as const
    const put = (id: string) => ({ kind: 'put-task', task: sampleTask(id) }) as const
    await store.commit([put('a')])
    const results = await Promise.allSettled([
      store.commit([put('b'), attempt('one')]),
      // no two attempts have one token
      store.commit([
        { kind: 'put-task', task: sampleTask('a', { title: 'undone' }) },
        put('c'),
        attempt('two'),
      ]),
      store.commit([put('d')]),
      store.list({ filter: 'all', search: 'undone', sort: 'queue', order: 'asc', offset: 0, limit: 9 }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(results[3]).toMatchObject({ value: { total: 0 } })
    await store.close()
    store = await SqliteTaskStore.open({ dataFolder, inThread: false })
    const tasks = await store.loadMany(['a', 'b', 'c', 'd'])
    expect(tasks.map(({ id }) => id)).toEqual(['a', 'b', 'd'])
    expect(tasks[0]?.title).toBe(sampleTask('a').title)
  })

  it('carries what is asked because of an answer together with what waited for it', async () => {
    const inThread = await SqliteTaskStore.open({ dataFolder: join(dataFolder, 'other') })
    let isFollowed = false
    const first = inThread.load('a').then(async () => {
      await inThread.load('b')
      isFollowed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    await inThread.load('c')
    await new Promise((resolve) => queueMicrotask(() => resolve(null)))
    expect(isFollowed).toBe(true)
    await first
    await inThread.close()
  })

  it('gives tokens without asking the database for each, one after the other also beyond a block', async () => {
    const tokens = await Promise.all(Array.from({ length: 250 }, () => store.nextToken()))
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
    expect(new Set(tokens).size).toBe(tokens.length)
    await store.close()
    await expect(store.nextToken()).rejects.toMatchObject({ code: 'INTERNAL' })
    store = await SqliteTaskStore.open({ dataFolder, inThread: false })
    expect(await store.nextToken()).toBeGreaterThan(Math.max(...tokens))
  })
})
