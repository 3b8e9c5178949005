/**
 * A worker that is killed at any moment of a download, again and again: what its checkpoints named is there, the next
 * one goes on, and the file is the source's. C057, F47, F48. `SLUICE_WORKER_KILLS` raises the number of kills (the issue
 * asks for 100 in one download), `SLUICE_CRASH_SEED` repeats a run.
 */
import { open } from 'node:fs/promises'
import { expect } from 'vitest'
import type { Checkpoint } from '../../src/shared/task/resource.ts'
import { randomMoments, timesFrom } from '../crash/random-moments.ts'
import { seededBytes } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import { sourceHash } from './harness.ts'
import type { Rig } from './harness.ts'
import { live } from './worker-life.ts'
import type { Life } from './worker-life.ts'

const kills = timesFrom('SLUICE_WORKER_KILLS', 4)

it(
  `C057 F47 ${kills} kills of the worker in one download, then the right file`,
  { timeout: 60_000 + kills * 5_000 },
  async ({ server, rig }) => {
    const moments = randomMoments()
    const lifeMs = { least: 0, most: 400 }
    // Twice as long as all lives could take at this speed: a kill may come late, and a limit begins with a burst.
    const bytesPerSecond = 16 * MiB
    const length = Math.ceil((2 * kills * lifeMs.most * bytesPerSecond) / 1000)
    server.serve('/f', { length, etag: '"v"' })
    const order = rig.order(server.url('/f'))
    let checkpoint: Checkpoint | null = null
    let gains = 0
    for (let kill = 1; kill <= kills; kill++) {
      const afterMs = moments.next(lifeMs.least, lifeMs.most)
      const life: Life = await live(order, kill, checkpoint, { killAfterMs: afterMs, bytesPerSecond })
      expect(life.outcome, `kill ${kill} of seed ${moments.seed}`).toBeNull()
      expect(await rig.entries()).not.toContain('out.bin')
      if (bytesOf(life.checkpoint) > bytesOf(checkpoint)) gains += 1
      checkpoint = life.checkpoint
      await expectDurable(rig, checkpoint)
    }
    const last = await live(order, kills + 1, checkpoint)
    expect(last.outcome?.kind, `seed ${moments.seed}`).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(gains).toBeGreaterThan(0)
    process.stdout.write(
      `seed ${moments.seed}: ${kills} kills over ${Math.round(length / MiB)} MiB, ` +
        `after ${gains} of which more was durable than before\n`,
    )
  },
)

it('C064 a worker that slept while its connections were cut goes on when it wakes', async ({
  server,
  rig,
}) => {
  const length = 8 * MiB
  server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
  const asleep = async () => {
    // What it will ask when it wakes is answered; what it asked before is gone.
    server.serve('/f', { length, etag: '"v"' })
    server.dropConnections()
    await server.until(() => server.openConnections === 0)
    // So long that it cannot have been busy only: this is the sleep itself.
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  const life = await live(rig.order(server.url('/f')), 1, null, { asleep })
  expect(life.outcome?.kind).toBe('completed')
  expect(await rig.sha256()).toBe(sourceHash(length))
})

function bytesOf(checkpoint: Checkpoint | null): number {
  if (checkpoint?.kind !== 'ranges') return 0
  return checkpoint.ranges.reduce((sum, [start, end]) => sum + end - start, 0)
}

/** The ends of what a checkpoint names are in the file as they are at the source. */
async function expectDurable(rig: Rig, checkpoint: Checkpoint | null): Promise<void> {
  if (checkpoint?.kind !== 'ranges' || checkpoint.ranges.length === 0) return
  const file = await open(rig.path('.sluice-task/track'))
  try {
    for (const [start, end] of checkpoint.ranges) {
      const from = Math.max(start, end - 64 * 1024)
      const { buffer } = await file.read(Buffer.alloc(end - from), 0, end - from, from)
      expect(buffer.equals(seededBytes(1, from, end))).toBe(true)
    }
  } finally {
    await file.close()
  }
}
