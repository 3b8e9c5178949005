import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { sampleTask } from '../contracts/sample-task.ts'
import { SmallVolume, whyNoSmallVolumes } from './small-volume.ts'
import { expectSound } from './store-life.ts'

const reason = whyNoSmallVolumes()
if (reason !== null) console.warn(`NOT RUN: a full disk under the store: ${reason}`)

describe.skipIf(reason !== null)('F32: a full disk under the store', () => {
  let volume: SmallVolume
  let dataFolder: string

  beforeEach(() => {
    volume = SmallVolume.create(2048)
    dataFolder = join(volume.folder, 'data')
  })
  afterEach(() => volume.dispose())

  const sized = (id: string, kilobytes: number) => sampleTask(id, { title: id.repeat(kilobytes * 1024) })

  it('fails what does not fit, keeps what was acknowledged and nothing else, and goes on when there is room', async () => {
    const store = await SqliteTaskStore.open({ dataFolder })
    await store.commit([{ kind: 'put-task', task: sampleTask('before') }])
    volume.fill(400)
    const acknowledged = new Set(['before'])
    // asked for in one tick: among small ones one that is larger than SQLite's cache, so that the disk fills, and
    // SQLite gives up the transaction, in the middle of the batch and not at its end
    const wanted = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const results = await Promise.allSettled(
      wanted.map((id, index) =>
        store.commit([{ kind: 'put-task', task: sized(id, index === 3 ? 12_000 : 1) }]),
      ),
    )
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') acknowledged.add(wanted[index] ?? '')
      else expect(result.reason).toMatchObject({ code: 'STORAGE_FULL' })
    }
    expect(results.some((result) => result.status === 'rejected')).toBe(true)
    const stored = async (from: SqliteTaskStore) =>
      (await from.loadLive()).tasks.map((task) => task.id).sort()
    const inStore = await Promise.all([...acknowledged, ...wanted].map((id) => store.load(id)))
    expect(new Set(inStore.flatMap((task) => task?.id ?? []))).toEqual(acknowledged)

    volume.empty()
    await store.commit([{ kind: 'put-task', task: sampleTask('z') }])
    await store.close()
    const next = await SqliteTaskStore.open({ dataFolder })
    expect(await stored(next)).toEqual([...acknowledged, 'z'].sort())
    await next.close()
    expectSound(dataFolder, 'after the full disk')
  })

  it('is told when the store cannot even be made, and leaves nothing half made', async () => {
    volume.fill()
    await expect(SqliteTaskStore.open({ dataFolder })).rejects.toMatchObject({ code: 'STORAGE_FULL' })
    volume.empty()
    const store = await SqliteTaskStore.open({ dataFolder })
    expect(await store.loadLive()).toEqual({ tasks: [], quarantined: [] })
    await store.close()
  })
})
