import { cpSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { rootPage, zeroPage } from '../contracts/damage.ts'
import { sampleTask } from '../contracts/sample-task.ts'
import { killAt, pointNumbers, pointsOfFiles, whyNoCrashPoints } from './crash-points.ts'
import { expectSound } from './store-life.ts'

const reason = whyNoCrashPoints()
if (reason !== null) console.warn(`NOT RUN: enumerated crash points of the store: ${reason}`)

const opener = join(import.meta.dirname, 'store-opening-process.ts')
const timeoutMs = 3_600_000

describe.skipIf(reason !== null)('killed at an enumerated moment, the store', () => {
  let scratch: string

  beforeEach(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'sluice-points-'))
  })
  afterEach(() => rm(scratch, { recursive: true }))

  /** Each point on a fresh copy of the template, and then the checks. */
  async function atEachPoint(template: string | null, check: (folder: string, at: string) => Promise<void>) {
    let kills = 0
    for (const point of pointsOfFiles) {
      for (const nth of pointNumbers()) {
        const folder = join(scratch, `${point}-${nth}`)
        if (template !== null) cpSync(template, folder, { recursive: true })
        const end = await killAt(point, nth, opener, [folder])
        await check(folder, `${end} at ${point} ${nth}`)
        expectSound(folder, `${end} at ${point} ${nth}`)
        await rm(folder, { recursive: true })
        if (end === 'survived') break
        kills++
      }
    }
    // a tracer that kills nothing would prove nothing
    expect(kills).toBeGreaterThan(pointsOfFiles.length)
    console.info(`${kills} crash points`)
  }

  async function nextLife(folder: string) {
    const store = await SqliteTaskStore.open({ dataFolder: folder })
    const { tasks, quarantined } = await store.loadLive()
    await store.close()
    return { ids: tasks.map((task) => task.id), told: quarantined.map((record) => record.table) }
  }

  it(
    'F49: in its first start is made whole by the next',
    () =>
      atEachPoint(null, async (folder, at) => {
        const { ids, told } = await nextLife(folder)
        expect(told, at).toEqual([])
        expect([[], ['from-the-opener']], at).toContainEqual(ids)
      }),
    timeoutMs,
  )

  it(
    'F50: in a recovery ends it in the next start, and loses and hides nothing',
    async () => {
      const template = join(scratch, 'template')
      const wanted = ['a', 'b', 'c']
      const store = await SqliteTaskStore.open({ dataFolder: template })
      await store.commit(wanted.map((id) => ({ kind: 'put-task', task: sampleTask(id) })))
      await store.close()
      zeroPage(template, rootPage(template, 'tasks_by_created'))
      await atEachPoint(template, async (folder, at) => {
        const { ids, told } = await nextLife(folder)
        expect(ids, at).toEqual(expect.arrayContaining(wanted))
        expect(told, at).toContain('database')
        const names = await readdir(folder)
        expect(
          names.some((name) => /^sluice\.db\.corrupt-\d+$/.test(name)),
          at,
        ).toBe(true)
        expect(
          names.filter((name) => /salvaged|recovered|\.new/.test(name)),
          at,
        ).toEqual([])
      })
    },
    timeoutMs,
  )
})
