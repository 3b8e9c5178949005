import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { defaultSettings } from '../../src/shared/default-settings.ts'
import { ask, databaseFile, middlePage, rootPage, tamper, zeroPage } from './damage.ts'
import { sampleAttempt, sampleJob, sampleTask } from './sample-task.ts'

let dataFolder: string

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'sluice-damage-'))
})
afterEach(() => rm(dataFolder, { recursive: true }))

/** Runs one life of a store. */
async function inStore<T>(work: (store: SqliteTaskStore) => Promise<T>): Promise<T> {
  const store = await SqliteTaskStore.open({ dataFolder })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

const put = (...ids: string[]) =>
  inStore((store) => store.commit(ids.map((id) => ({ kind: 'put-task', task: sampleTask(id) }))))

const manyIds = Array.from({ length: 300 }, (_, index) => `task-${String(index).padStart(3, '0')}`)

/** What the next life finds. */
async function nextLife(): Promise<{ ids: string[]; told: string[] }> {
  return inStore(async (store) => {
    const { tasks, quarantined } = await store.loadLive()
    return { ids: tasks.map((task) => task.id).sort(), told: quarantined.map((record) => record.table) }
  })
}

async function setAside(): Promise<string[]> {
  return (await readdir(dataFolder)).filter((name) => /^sluice\.db\.corrupt-\d+$/.test(name))
}

async function backUp(): Promise<void> {
  const store = await SqliteTaskStore.open({ dataFolder, backUpAfterMs: 0 })
  await vi.waitUntil(() => existsSync(join(dataFolder, 'sluice.db.backup')), {
    timeout: 50_000,
    interval: 10,
  })
  await store.close()
}

describe('a damaged database', () => {
  it('B64: one that is no database at all is set aside and told, never taken for empty', async () => {
    await writeFile(databaseFile(dataFolder), 'this is not a database, whatever its name says')
    expect(await nextLife()).toEqual({ ids: [], told: ['database'] })
    expect(await nextLife()).toEqual({ ids: [], told: [] })
    const [aside] = await setAside()
    expect(await readFile(join(dataFolder, aside ?? ''), 'utf8')).toContain('whatever its name says')
  })

  it('B64: one that was emptied to nothing is told too', async () => {
    await put('a')
    await truncate(databaseFile(dataFolder))
    expect(await nextLife()).toEqual({ ids: [], told: ['database'] })
    expect(await setAside()).toHaveLength(1)
  })

  it('F42: damage to an index costs no record', async () => {
    await put(...manyIds)
    zeroPage(dataFolder, rootPage(dataFolder, 'tasks_by_created'))
    expect(await nextLife()).toEqual({ ids: manyIds, told: ['database'] })
    expect(await setAside()).toHaveLength(1)
  })

  it.each(['tasks', 'steps', 'task_bodies'])(
    'F42: damage in the middle of %s costs the records in it, and those alone',
    async (table) => {
      await put(...manyIds)
      zeroPage(dataFolder, middlePage(dataFolder, table))
      const { ids, told } = await nextLife()
      expect(ids.length).toBeGreaterThan(200)
      expect(ids).toContain(manyIds[0])
      expect(ids).toContain(manyIds.at(-1))
      expect(told[0] === 'database' || told.at(-1) === 'database').toBe(true)
    },
  )

  it('B64: of a truncated one comes back what is left, or else the backup', async () => {
    await put(...manyIds)
    await truncate(databaseFile(dataFolder), (await stat(databaseFile(dataFolder))).size / 2)
    const { told } = await nextLife()
    expect(told).toContain('database')

    await put(...manyIds)
    await backUp()
    await truncate(databaseFile(dataFolder), 3 * 4096)
    expect(await nextLife()).toEqual({ ids: manyIds, told: ['database'] })
  })

  it('F43: one whose file is gone comes back from the backup', async () => {
    await put('a', 'b')
    await backUp()
    await rm(databaseFile(dataFolder))
    expect(await nextLife()).toEqual({ ids: ['a', 'b'], told: ['database'] })
  })

  it('F43: the journal of a lost file is not applied to a new one', async () => {
    await writeFile(`${databaseFile(dataFolder)}-wal`, Buffer.alloc(4096, 1))
    expect(await nextLife()).toEqual({ ids: [], told: ['database'] })
    expect(await readdir(dataFolder)).toContainEqual(expect.stringMatching(/\.corrupt-\d+-wal$/))
  })

  it('gives no token again that the damage may have swallowed', async () => {
    const before = await inStore(async (store) => {
      await store.commit([{ kind: 'put-attempt', attempt: sampleAttempt('a', 900) }])
      return store.nextToken()
    })
    expect(before).toBeLessThan(900)
    zeroPage(dataFolder, rootPage(dataFolder, 'meta'))
    expect(await inStore((store) => store.nextToken())).toBeGreaterThan(900)
  })

  it('keeps history, settings, claims and attempts', async () => {
    const end = {
      at: 5,
      state: 'FAILED' as const,
      title: 't',
      service: 's',
      outputs: [],
      error: null,
      doneBytes: 0,
    }
    const settings = { ...defaultSettings('/d'), maxConcurrentTasks: 7 }
    const claim = { taskId: 'a', kind: 'output' as const, path: '/d/A', foldedPath: '/d/a' }
    await inStore((store) =>
      store.commit([
        { kind: 'put-task', task: sampleTask('a') },
        { kind: 'put-job', job: sampleJob('a', { end }) },
        { kind: 'put-attempt', attempt: sampleAttempt('a', 3) },
        { kind: 'put-claims', taskId: 'a', claims: [claim] },
        { kind: 'put-settings', settings },
      ]),
    )
    zeroPage(dataFolder, rootPage(dataFolder, 'tasks_by_size'))
    await inStore(async (store) => {
      expect(await store.history({ limit: 9 })).toMatchObject([{ id: 'job-a', end }])
      expect(await store.openAttempts()).toEqual([sampleAttempt('a', 3)])
      expect(await store.claimsOf('a')).toEqual([claim])
      expect(await store.loadSettings()).toEqual(settings)
      expect(
        (await store.list({ filter: 'all', search: '', sort: 'queue', order: 'asc', offset: 0, limit: 9 }))
          .counts.all,
      ).toBe(1)
    })
  })

  it('is recovered also when the damage is met while the store is in use', async () => {
    await put(...manyIds)
    await inStore(async (store) => {
      await store.load('task-000')
      // another's commit makes the store read from the file again
      tamper(dataFolder, "PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO meta VALUES ('x', 1);")
      zeroPage(dataFolder, rootPage(dataFolder, 'tasks_by_size'))
      const bySize = { filter: 'all', search: '', sort: 'size', order: 'asc', offset: 0, limit: 500 } as const
      expect((await store.list(bySize)).ids).toHaveLength(300)
      await store.commit([{ kind: 'put-task', task: sampleTask('later') }])
      expect((await store.loadLive()).quarantined).toMatchObject([{ table: 'database' }])
    })
    expect((await nextLife()).ids).toHaveLength(301)
  })
})

describe('an unreadable record', () => {
  it('C083 is set aside and told once; the others load', async () => {
    await put('good', 'bad', 'worse')
    tamper(
      dataFolder,
      `UPDATE task_bodies SET body = '{"id":"bad"}' WHERE task_id = 'bad';
       UPDATE steps SET body = 'no JSON' WHERE task_id = 'worse'`,
    )
    expect(await nextLife()).toEqual({ ids: ['good'], told: ['tasks', 'tasks'] })
    expect(await nextLife()).toEqual({ ids: ['good'], told: [] })
    expect(ask(dataFolder, `SELECT body FROM quarantine WHERE key = 'worse'`)).toContain('no JSON')
  })

  it('does not keep a window, the history or the attempts from being shown', async () => {
    const end = {
      at: 5,
      state: 'FAILED' as const,
      title: 't',
      service: 's',
      outputs: [],
      error: null,
      doneBytes: 0,
    }
    await put('good', 'bad')
    await inStore((store) =>
      store.commit([
        { kind: 'put-job', job: sampleJob('good', { end }) },
        { kind: 'put-job', job: sampleJob('bad', { end }) },
        { kind: 'put-attempt', attempt: sampleAttempt('good', 1) },
        { kind: 'put-attempt', attempt: sampleAttempt('bad', 2) },
      ]),
    )
    tamper(
      dataFolder,
      `UPDATE task_bodies SET body = '{}' WHERE task_id = 'bad';
       UPDATE jobs SET body = '{}' WHERE task_id = 'bad';
       UPDATE attempts SET body = '{}' WHERE task_id = 'bad'`,
    )
    await inStore(async (store) => {
      expect((await store.loadMany(['bad', 'good'])).map((task) => task.id)).toEqual(['good'])
      expect(await store.load('bad')).toBeUndefined()
      expect((await store.history({ limit: 9 })).map((job) => job.taskId)).toEqual(['good'])
      expect((await store.openAttempts()).map((attempt) => attempt.taskId)).toEqual(['good'])
      const { quarantined } = await store.loadLive()
      expect(quarantined.map((record) => record.table).sort()).toEqual(['attempts', 'jobs', 'tasks'])
    })
  })

  it('among the settings loses the value that does not fit, not the others', async () => {
    const settings = { ...defaultSettings('/d'), maxConcurrentTasks: 7 }
    await inStore((store) => store.commit([{ kind: 'put-settings', settings }]))
    tamper(dataFolder, `UPDATE settings SET body = json_set(body, '$.retryBudget', 'many')`)
    const { retryBudget, ...others } = settings
    expect(await inStore((store) => store.loadSettings())).toEqual(others)
    expect(await inStore((store) => store.loadSettings())).toEqual(others)
    expect((await nextLife()).told).toEqual(['settings'])
    expect(retryBudget).toBe(5)
  })
})

describe('a database of another version', () => {
  it('that is newer is refused, and not a byte of it is changed', async () => {
    await put('a')
    tamper(dataFolder, 'PRAGMA user_version = 99')
    const digest = async () =>
      createHash('sha256')
        .update(await readFile(databaseFile(dataFolder)))
        .digest('hex')
    const before = await digest()
    await expect(SqliteTaskStore.open({ dataFolder })).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await digest()).toBe(before)
    expect(await setAside()).toEqual([])
  })
})

describe('the backup', () => {
  it('is made once a day, whole, by a store in use', async () => {
    await put(...manyIds)
    await backUp()
    const copy = new Database(join(dataFolder, 'sluice.db.backup'), { readonly: true })
    expect(copy.prepare('SELECT count(*) FROM tasks').pluck().get()).toBe(300)
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
    const madeAt = (await stat(join(dataFolder, 'sluice.db.backup'))).mtimeMs
    await backUp()
    expect((await stat(join(dataFolder, 'sluice.db.backup'))).mtimeMs).toBe(madeAt)
    expect((await readdir(dataFolder)).sort()).toEqual(['sluice.db', 'sluice.db.backup'])
  })
})

describe('a backup that is being made', () => {
  it('is given up when the store closes, and nothing of it stays', async () => {
    const titled = (id: string) => sampleTask(id, { title: id.repeat(5000) })
    await inStore((store) => store.commit(manyIds.map((id) => ({ kind: 'put-task', task: titled(id) }))))
    const store = await SqliteTaskStore.open({ dataFolder, backUpAfterMs: 0 })
    await vi.waitUntil(() => existsSync(join(dataFolder, 'sluice.db.backup.new')), {
      timeout: 50_000,
      interval: 1,
    })
    await store.close()
    expect((await readdir(dataFolder)).filter((name) => name.includes('.new'))).toEqual([])
    expect((await nextLife()).ids).toHaveLength(300)
  })
})

describe('the files of the store', () => {
  it.runIf(process.platform !== 'win32')(
    "are nobody else's to read: they hold cookies and signed links",
    async () => {
      await inStore(async (store) => {
        await store.commit([{ kind: 'put-task', task: sampleTask('a') }])
        for (const name of await readdir(dataFolder)) {
          expect((await stat(join(dataFolder, name))).mode & 0o077, name).toBe(0)
        }
      })
    },
  )

  it('say what is wrong when they cannot be made', async () => {
    await writeFile(join(dataFolder, 'file'), '')
    await expect(
      SqliteTaskStore.open({ dataFolder: join(dataFolder, 'file', 'below') }),
    ).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
  })
})
