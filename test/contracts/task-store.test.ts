import { mkdtemp, rm, writeFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { InMemoryTaskStore } from './in-memory-task-store.ts'
import { sampleTask } from './sample-task.ts'
import { taskStoreContract } from './task-store.contract.ts'

taskStoreContract('in memory', () => {
  let store = new InMemoryTaskStore()
  return Promise.resolve({
    store,
    reopen: () => Promise.resolve((store = store.reopen())),
    dispose: () => store.close(),
  })
})

taskStoreContract('SQLite', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'sluice-store-'))
  let store = await SqliteTaskStore.open({ dataFolder })
  return {
    store,
    reopen: async () => {
      await store.close()
      return (store = await SqliteTaskStore.open({ dataFolder }))
    },
    dispose: async () => {
      await store.close()
      await rm(dataFolder, { recursive: true })
    },
  }
})

describe('a database that is not as it should be', () => {
  let dataFolder: string
  const path = () => join(dataFolder, 'sluice.db')

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'sluice-store-'))
  })
  afterEach(() => rm(dataFolder, { recursive: true }))

  async function storeWith(...ids: string[]): Promise<void> {
    const store = await SqliteTaskStore.open({ dataFolder })
    await store.commit(ids.map((id) => ({ kind: 'put-task', task: sampleTask(id) })))
    await store.close()
  }

  it('B64: one that is no database at all is set aside and told, never taken for empty', async () => {
    await writeFile(path(), 'this is not a database, whatever its name says')
    const store = await SqliteTaskStore.open({ dataFolder })
    const { tasks, quarantined } = await store.loadLive()
    await store.close()
    expect(tasks).toEqual([])
    expect(quarantined).toMatchObject([{ table: 'database' }])
    expect((await readdir(dataFolder)).filter((name) => name.includes('.corrupt-'))).toHaveLength(1)
  })

  it('an unreadable record is set aside and told once; the others load', async () => {
    await storeWith('good', 'bad')
    const database = new Database(path())
    database.prepare('UPDATE task_bodies SET body = \'{"id":"bad"}\' WHERE task_id = \'bad\'').run()
    database.close()
    const store = await SqliteTaskStore.open({ dataFolder })
    const first = await store.loadLive()
    const second = await store.loadLive()
    await store.close()
    expect(first.tasks.map((task) => task.id)).toEqual(['good'])
    expect(first.quarantined).toMatchObject([{ table: 'tasks', key: 'bad' }])
    expect(second.quarantined).toEqual([])
    const after = new Database(path())
    const kept = after.prepare('SELECT key, body FROM quarantine').all()
    after.close()
    expect(kept).toMatchObject([{ key: 'bad' }])
  })

  it('one written by a newer version is refused and left as it is', async () => {
    await storeWith('a')
    const database = new Database(path())
    database.pragma('user_version = 99')
    database.close()
    await expect(SqliteTaskStore.open({ dataFolder })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    const after = new Database(path())
    expect(after.pragma('user_version', { simple: true })).toBe(99)
    expect(after.prepare('SELECT count(*) FROM tasks').pluck().get()).toBe(1)
    after.close()
  })

  it('syncs every commit to the disk', async () => {
    await storeWith('a')
    const store = await SqliteTaskStore.open({ dataFolder })
    const database = new Database(path(), { readonly: true })
    // read back from a second connection: the journal mode is the file's own
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    database.close()
    await store.close()
  })
})
