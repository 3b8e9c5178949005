/**
 * A worker that is killed at any moment of a download, again and again: what its checkpoints named is there, the next
 * one goes on, and the file is the source's. C057, F47, F48. `SLUICE_WORKER_KILLS` raises the number of kills (the issue
 * asks for 100 in one download), `SLUICE_CRASH_SEED` repeats a run.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { Checkpoint } from '../../src/shared/task/model.ts'
import type { HostMessage, StepOutcome, WorkerMessage } from '../../src/shared/worker-protocol.ts'
import { randomMoments, timesFrom } from '../crash/random-moments.ts'
import { seededBytes } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import { sourceHash } from './harness.ts'
import type { Rig } from './harness.ts'

const kills = timesFrom('SLUICE_WORKER_KILLS', 4)
const program = fileURLToPath(new URL('quick-worker-process.ts', import.meta.url))

interface Life {
  outcome: StepOutcome | null
  checkpoint: Checkpoint | null
}

/** One life of a worker from a checkpoint on; killed `afterMs` after its first progress, or left to end. */
async function live(
  order: ReturnType<Rig['order']>,
  token: number,
  before: Checkpoint | null,
  afterMs: number | null,
  bytesPerSecond: number,
): Promise<Life> {
  const child = fork(program, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const life: Life = { outcome: null, checkpoint: before }
  const address = { attemptId: `attempt-${token}`, token }
  const send = (message: HostMessage) => child.send(message)
  let timer: NodeJS.Timeout | undefined
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'progress' && afterMs !== null) {
      timer ??= setTimeout(() => child.kill('SIGKILL'), afterMs)
    }
    // The host stores a checkpoint when it hears of it; what it never heard of does not count.
    if (message.kind === 'checkpoint') life.checkpoint = message.checkpoint
    if (message.kind === 'ready') {
      send({ kind: 'publish', ...address, stepId: 'step', to: order.publishTo ?? '' })
    }
    if (message.kind === 'outcome') {
      life.outcome = message.outcome
      child.disconnect()
    }
  })
  send({
    kind: 'run-step',
    ...address,
    stepId: 'step',
    order,
    checkpoint: before,
    failures: 0,
    limits: { connections: 4, bytesPerSecond, retryBudget: 5, stallTimeoutMs: 20_000 },
  })
  await once(child, 'exit')
  clearTimeout(timer)
  return life
}

it(
  `C057 F47 ${kills} kills of the worker in one download, then the right file`,
  { timeout: 60_000 + kills * 5_000 },
  async ({ server, rig }) => {
    const moments = randomMoments()
    const lifeMs = { least: 0, most: 400 }
    // Slow enough that no life gets to the end before the last kill.
    const bytesPerSecond = 16 * MiB
    const length = Math.ceil((kills * lifeMs.most * bytesPerSecond) / 1000)
    server.serve('/f', { length, etag: '"v"' })
    const order = rig.order(server.url('/f'))
    let checkpoint: Checkpoint | null = null
    let gains = 0
    for (let kill = 1; kill <= kills; kill++) {
      const afterMs = moments.next(lifeMs.least, lifeMs.most)
      const life: Life = await live(order, kill, checkpoint, afterMs, bytesPerSecond)
      expect(life.outcome, `kill ${kill} of seed ${moments.seed}`).toBeNull()
      expect(await rig.entries()).not.toContain('out.bin')
      if (bytesOf(life.checkpoint) > bytesOf(checkpoint)) gains += 1
      checkpoint = life.checkpoint
      await expectDurable(rig, checkpoint)
    }
    const last = await live(order, kills + 1, checkpoint, null, 1024 * MiB)
    expect(last.outcome?.kind, `seed ${moments.seed}`).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(gains).toBeGreaterThan(0)
    process.stdout.write(
      `seed ${moments.seed}: ${kills} kills over ${Math.round(length / MiB)} MiB, ` +
        `after ${gains} of which more was durable than before\n`,
    )
  },
)

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
