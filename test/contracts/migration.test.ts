import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, createDatabase, migrate, versionOf } from '../../src/adapters/store/connection.ts'
import type { Connection } from '../../src/adapters/store/connection.ts'
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

  it('is not applied again, and a database that is up to date gets no backup', async () => {
    migrate(database, path(), [first])
    expect((await readdir(folder)).filter((name) => name.includes('backup'))).toEqual([])
  })
})
