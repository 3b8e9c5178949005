import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, createDatabase, migrate, versionOf } from '../../src/adapters/store/connection.ts'
import type { Connection } from '../../src/adapters/store/connection.ts'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { migrations } from '../../src/adapters/store/schema.ts'
import { sourceKey } from '../../src/shared/task/source-key.ts'
import { sampleTask } from './sample-task.ts'

describe('a migration', () => {
  let folder: string
  let database: Connection
  const path = () => join(folder, 'sluice.db')
  const [first] = migrations
  if (first === undefined) throw new Error('the first migration makes the tables')
  const second = `ALTER TABLE tasks ADD COLUMN colour TEXT; UPDATE tasks SET colour = 'blue'`

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-migration-'))
    createDatabase(path(), 1, (made) => {
      made.exec(`INSERT INTO settings VALUES (1, '{"maxConcurrentTasks":7}')`)
    })
    database = connect(path(), 1)
  })
  afterEach(async () => {
    database.close()
    await rm(folder, { recursive: true })
  })

  it('changes the schema and the version together, after a backup of what was there', async () => {
    migrate(database, path(), [first, second])
    expect(versionOf(database)).toBe(2)
    expect(database.prepare('SELECT body FROM settings').pluck().get()).toContain('7')
    const backup = new Database(`${path()}.backup-v1`, { readonly: true })
    expect(versionOf(backup)).toBe(1)
    expect(backup.prepare('SELECT body FROM settings').pluck().get()).toContain('7')
    backup.close()
    expect((await readdir(folder)).filter((name) => name.endsWith('.new'))).toEqual([])
  })

  it('that fails leaves the version before it, whole', () => {
    expect(() => migrate(database, path(), [first, `${second}; SELECT no_such_function()`])).toThrow()
    expect(versionOf(database)).toBe(1)
    expect(database.pragma('table_info(tasks)')).not.toContainEqual(
      expect.objectContaining({ name: 'colour' }),
    )
    migrate(database, path(), [first, second])
    expect(versionOf(database)).toBe(2)
  })

  it('to version 2 gives tasks of before their source, and leaves what cannot be read for the quarantine', () => {
    const task = sampleTask('old')
    const put = database.prepare(
      `INSERT INTO tasks (id, state, live, hidden, queue_group, queue_key, created_at, size, progress, search)
       VALUES (?, 'PAUSED', 1, 0, 2, 0, 0, 0, 0, '')`,
    )
    const body = database.prepare('INSERT INTO task_bodies VALUES (?, ?)')
    for (const [id, text] of [
      ['old', JSON.stringify(task)],
      ['broken', '{"parameters": '],
    ]) {
      put.run(id)
      body.run(id, text)
    }
    migrate(database, path(), migrations.slice(0, 2))
    expect(database.prepare('SELECT source FROM tasks ORDER BY id').pluck().all()).toEqual([
      '',
      sourceKey(task.parameters),
    ])
    expect(database.prepare('SELECT count(*) FROM host_limits').pluck().get()).toBe(0)
  })

  it('to version 3 leaves one index for each sort, without copies of the texts, and answers lists as before', async () => {
    const put = database.prepare(
      `INSERT INTO tasks (id, state, live, hidden, queue_group, queue_key, created_at, size, progress, search)
       VALUES (@id, @state, 0, 0, @group, @key, @key, 0, 0, @search)`,
    )
    put.run({ id: 'first', state: 'COMPLETED', group: 4, key: 2, search: 'lecture one' })
    put.run({ id: 'second', state: 'FAILED', group: 3, key: 1, search: 'lecture two' })
    put.run({ id: 'third', state: 'COMPLETED', group: 4, key: 3, search: 'lecture three' })
    migrate(database, path(), migrations.slice(0, 3))
    const columns = database
      .prepare<[], { name: string; columns: string }>(
        `SELECT list.name, group_concat(info.name) AS columns
         FROM pragma_index_list('tasks') AS list, pragma_index_info(list.name) AS info
         WHERE list.name LIKE 'tasks_by_%' GROUP BY list.name ORDER BY list.name`,
      )
      .all()
    expect(Object.fromEntries(columns.map((index) => [index.name, index.columns]))).toEqual({
      tasks_by_created: 'created_at,seq,queue_group',
      tasks_by_finished: 'finished_at,seq,queue_group',
      tasks_by_progress: 'progress,seq,queue_group',
      tasks_by_queue: 'queue_group,queue_key,seq',
      tasks_by_size: 'size,seq,queue_group',
      tasks_by_source: 'source',
      tasks_by_title: 'search,seq,queue_group',
    })
    migrate(database, path())
    const store = await SqliteTaskStore.open({ dataFolder: folder, inThread: false })
    const asked = {
      filter: 'completed',
      search: 'TURE',
      sort: 'created',
      order: 'desc',
      offset: 0,
      limit: 9,
    } as const
    expect(await store.list(asked)).toMatchObject({ ids: ['third', 'first'], total: 2 })
    await store.close()
  })

  it('is not applied again, and a database that is up to date gets no backup', async () => {
    migrate(database, path(), [first])
    expect((await readdir(folder)).filter((name) => name.includes('backup'))).toEqual([])
  })
})
