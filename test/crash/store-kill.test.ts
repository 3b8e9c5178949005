import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { randomMoments, timesFrom } from './random-moments.ts'
import { Acknowledged, expectKept, startLife } from './store-life.ts'

const kills = timesFrom('SLUICE_KILLS', 15)

let dataFolder: string

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'sluice-kill-'))
})
afterEach(() => rm(dataFolder, { recursive: true }))

it(
  `F47: ${kills} times killed at a random moment, the store has every commit that it acknowledged`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    const moments = randomMoments()
    const acknowledged = new Acknowledged()
    for (let kill = 1; kill <= kills; kill++) {
      const life = startLife(dataFolder, acknowledged)
      // every third life ends while it starts: while the database is made, opened or recovered
      const whileStarting = kill % 3 === 0
      if (!whileStarting) await life.busy
      await delay(whileStarting ? moments.next(30, 400) : moments.next(0, 120))
      life.writer.kill('SIGKILL')
      await life.end()
      await expectKept(dataFolder, acknowledged, `seed ${moments.seed}, kill ${kill}`)
    }
    expect(acknowledged.commits).toBeGreaterThan(kills)
  },
)
