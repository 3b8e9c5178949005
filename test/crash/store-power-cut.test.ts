import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SqliteTaskStore } from '../../src/adapters/store/sqlite-task-store.ts'
import { sampleTask } from '../contracts/sample-task.ts'
import { LoopVolume, whyNoLoopVolumes } from './loop-volume.ts'
import { randomMoments, timesFrom } from './random-moments.ts'
import { Acknowledged, expectKept, startLife } from './store-life.ts'

const cuts = timesFrom('SLUICE_POWER_CUTS', 10)
const reason = await whyNoLoopVolumes()
if (reason !== null) console.warn(`NOT RUN: power cuts under the store: ${reason}`)

describe.skipIf(reason !== null)('a power cut under the store', () => {
  let volume: LoopVolume

  beforeAll(() => {
    volume = LoopVolume.create(64)
  })
  afterAll(() => volume.dispose())

  it(
    `F39: after ${cuts} power cuts at random moments the store has every commit that it acknowledged`,
    async () => {
      const moments = randomMoments()
      const acknowledged = new Acknowledged()
      const dataFolder = join(volume.folder, 'data')
      for (let cut = 1; cut <= cuts; cut++) {
        const life = startLife(dataFolder, acknowledged)
        // every fourth cut comes while the store starts
        if (cut % 4 !== 0) await life.busy
        await delay(cut % 4 === 0 ? moments.next(30, 400) : moments.next(0, 250))
        const cutAt = await volume.cutPower()
        life.writer.kill('SIGKILL')
        await life.end(cutAt)
        volume.restorePower()
        await expectKept(dataFolder, acknowledged, `seed ${moments.seed}, cut ${cut}`)
      }
      expect(acknowledged.commits).toBeGreaterThan(cuts)
    },
    60_000 + cuts * 10_000,
  )

  it('M6: a drive that dies in mid-run is told as one, and the store is well again with it', async () => {
    const dataFolder = join(volume.folder, 'dying')
    const store = await SqliteTaskStore.open({ dataFolder })
    await store.commit([{ kind: 'put-task', task: sampleTask('before') }])
    await volume.cutPower()
    await expect(store.commit([{ kind: 'put-task', task: sampleTask('after') }])).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
    await store.close()
    volume.restorePower()
    const next = await SqliteTaskStore.open({ dataFolder })
    expect((await next.loadLive()).tasks.map((task) => task.id)).toEqual(['before'])
    await next.close()
  })
})
