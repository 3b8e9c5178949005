import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { startTimeOf } from '../../src/adapters/process-identity.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import type { RecordedProcess } from '../../src/adapters/workers/process-group.ts'
import { groupLives } from '../../src/adapters/workers/process-group.ts'
import { SupervisedWorkerPool } from '../../src/adapters/workers/supervised-worker-pool.ts'
import { leaseWorker } from './leased-worker.ts'
import type { LeasedWorker } from './leased-worker.ts'
import { muxOrder } from './mux-order.ts'

const media = join(import.meta.dirname, '../media/files')

let folder: string
let working: string
let endless: string
let publishTo: string
let pool: SupervisedWorkerPool
let faults: unknown[]
const hosts: ChildProcess[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-processes-'))
  working = join(folder, 'working')
  publishTo = join(folder, 'out')
  await mkdir(working)
  await copyFile(join(media, 'video.mp4'), join(working, 'video'))
  await copyFile(join(media, 'audio.m4a'), join(working, 'audio'))
  endless = join(folder, 'endless-ffmpeg')
  // a child of its own that ignores what can be ignored, as a grandchild of the worker
  await writeFile(
    endless,
    `#!/bin/sh\n(trap '' TERM HUP INT; sleep 600) &\ntouch '${folder}/running'\nwait\n`,
  )
  await chmod(endless, 0o755)
  faults = []
  pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }), (fault) =>
    faults.push(fault),
  )
})

afterEach(async () => {
  await pool.close()
  for (const host of hosts.splice(0)) host.kill('SIGKILL')
  await rm(folder, { recursive: true })
})

const runs = () =>
  vi.waitFor(async () => expect(await readdir(folder)).toContain('running'), { timeout: 20_000 })

async function startMux(ffmpegPath = endless, stallTimeoutMs = 60_000): Promise<LeasedWorker> {
  const leased = await leaseWorker(pool, publishTo)
  leased.lease.send(muxOrder({ token: 1, workingFolder: working, ffmpegPath, publishTo, stallTimeoutMs }))
  return leased
}

/** A worker in the middle of a mux, with the group of its FFmpeg. */
async function muxing(): Promise<LeasedWorker & { group: number }> {
  const leased = await startMux()
  const { pid } = await leased.until('child-started')
  await runs()
  expect(groupLives(pid)).toBe(true)
  return { ...leased, group: pid }
}

describe('an attempt that is killed', () => {
  it('by SIGKILL to its worker takes FFmpeg and what FFmpeg started with it, before its end is told', async () => {
    const { lease, group, end } = await muxing()
    process.kill(lease.pid, 'SIGKILL')
    expect(await end).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
    expect(groupLives(group)).toBe(false)
  })

  it('by the host ends a stopped (SIGSTOP) worker and its FFmpeg likewise', async () => {
    const { lease, group, end, ends } = await muxing()
    process.kill(lease.pid, 'SIGSTOP')
    lease.kill()
    lease.kill()
    await end
    expect(groupLives(group)).toBe(false)
    expect(await startTimeOf(lease.pid)).toBeNull()
    expect(ends).toHaveLength(1)
  })

  it('leaves a worker that is let go without what it had started', async () => {
    const { lease, group, end } = await muxing()
    lease.release()
    expect(await end).toEqual({ kind: 'returned' })
    expect(groupLives(group)).toBe(false)
  })
})

describe('attempts that share a process', () => {
  /** Two muxes in one process, each with the group of its FFmpeg: it is shared once an attempt was short. */
  async function muxingTogether() {
    const first = await leaseWorker(pool, publishTo)
    const [one, two] = [leaseWorker(pool, publishTo), leaseWorker(pool, publishTo)]
    first.lease.release()
    const leased = await Promise.all([one, two])
    expect(new Set(leased.map(({ lease }) => lease.pid))).toEqual(new Set([first.lease.pid]))
    for (const [index, { lease }] of leased.entries()) {
      lease.send(muxOrder({ token: index + 1, workingFolder: working, ffmpegPath: endless, publishTo }))
    }
    const groups = await Promise.all(leased.map(async ({ until }) => (await until('child-started')).pid))
    for (const group of groups) expect(groupLives(group)).toBe(true)
    const [left, right] = leased.map((each, index) => ({ ...each, group: groups[index] ?? 0 }))
    if (left === undefined || right === undefined) throw new Error('two were leased')
    return [left, right] as const
  }

  it('end one by one, each with its own groups only', async () => {
    const [one, two] = await muxingTogether()
    one.lease.release()
    expect(await one.end).toEqual({ kind: 'returned' })
    expect(groupLives(one.group)).toBe(false)
    expect(groupLives(two.group)).toBe(true)
    two.lease.release()
    expect(await two.end).toEqual({ kind: 'returned' })
    expect(groupLives(two.group)).toBe(false)
    expect(await startTimeOf(two.lease.pid)).not.toBeNull()
  })

  it('go together when one is killed: nothing is left of either, and the neighbour was evicted', async () => {
    const [one, two] = await muxingTogether()
    one.lease.kill()
    expect(await one.end).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
    expect(await two.end).toEqual({ kind: 'evicted' })
    for (const { group } of [one, two]) expect(groupLives(group)).toBe(false)
    expect(await startTimeOf(one.lease.pid)).toBeNull()
  })
})

describe('an FFmpeg in trouble', () => {
  it('that is killed by someone else is replaced by the embedded muxer', async () => {
    const { group, until, lease, end } = await muxing()
    process.kill(-group, 'SIGKILL')
    expect(await until('outcome')).toMatchObject({ outcome: { kind: 'completed' } })
    lease.release()
    await end
  })

  it('that is stopped (SIGSTOP) counts as stalled, and its group is gone', async () => {
    const leased = await startMux(endless, 1_500)
    const { pid } = await leased.until('child-started')
    process.kill(-pid, 'SIGSTOP')
    expect(await leased.until('outcome')).toMatchObject({
      outcome: { kind: 'failed', error: { code: 'STALLED' } },
    })
    leased.lease.release()
    await leased.end
    expect(groupLives(pid)).toBe(false)
  })
})

describe('a host that is gone', () => {
  interface Told {
    worker: RecordedProcess
    ffmpeg: RecordedProcess
  }

  async function startHost(): Promise<Told & { host: ChildProcess }> {
    const host = fork(join(import.meta.dirname, 'mux-host.ts'), [working, endless])
    hosts.push(host)
    const [told] = (await once(host, 'message')) as [Told]
    await runs()
    return { ...told, host }
  }

  async function expectGoneSoon({ worker, ffmpeg }: Told): Promise<void> {
    await vi.waitFor(
      async () => {
        expect(await startTimeOf(worker.pid)).not.toBe(worker.startTime)
        expect(groupLives(ffmpeg.pid)).toBe(false)
      },
      { timeout: 2_000, interval: 20 },
    )
  }

  it('by SIGKILL: its worker and FFmpeg with all it started are gone within two seconds', async () => {
    const told = await startHost()
    told.host.kill('SIGKILL')
    await expectGoneSoon(told)
    expect((await readdir(working)).sort()).toEqual(expect.arrayContaining(['audio', 'video']))
  })

  it('together with its worker, both by SIGKILL: FFmpeg does not outlive them', async () => {
    const told = await startHost()
    told.host.kill('SIGKILL')
    process.kill(told.worker.pid, 'SIGKILL')
    await expectGoneSoon(told)
  })

  it('while its worker is wedged: the next life kills what was recorded', async () => {
    const told = await startHost()
    process.kill(told.worker.pid, 'SIGSTOP')
    told.host.kill('SIGKILL')
    await pool.killRecorded([told.worker, told.ffmpeg])
    expect(await startTimeOf(told.worker.pid)).not.toBe(told.worker.startTime)
    expect(groupLives(told.ffmpeg.pid)).toBe(false)
  })

  it('long ago: a pid that meanwhile names another process is never signalled', async () => {
    const told = await startHost()
    const stale = {
      worker: { ...told.worker, startTime: 'x:1' },
      ffmpeg: { ...told.ffmpeg, startTime: 'x:2' },
    }
    await pool.killRecorded([stale.worker, stale.ffmpeg])
    expect(await startTimeOf(told.worker.pid)).toBe(told.worker.startTime)
    expect(groupLives(told.ffmpeg.pid)).toBe(true)
    told.host.kill('SIGKILL')
    await expectGoneSoon(told)
  })
})

describe('the pool', () => {
  it('ends a worker that speaks nonsense, says so, and gives a fresh one next', async () => {
    const entry = join(import.meta.dirname, 'nonsense-process.ts')
    const nonsense = new SupervisedWorkerPool(forkLauncher({ entry }), (fault) => faults.push(fault))
    const { lease, end, messages } = await leaseWorker(nonsense)
    lease.send({ kind: 'end-attempt', attemptId: 'a', token: 1 })
    expect(await end).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
    expect(messages).toEqual([])
    expect(faults).toEqual([expect.objectContaining({ code: 'INTERNAL' })])
    const next = await leaseWorker(nonsense)
    expect(next.lease.pid).not.toBe(lease.pid)
    await nonsense.close()
    await next.end
  })

  it('does not take a worker back that never says that its attempt is over: it has to be killed', async () => {
    const entry = join(import.meta.dirname, 'wedged-process.ts')
    const wedging = new SupervisedWorkerPool(forkLauncher({ entry }), (fault) => faults.push(fault))
    const { lease, until, end, ends } = await leaseWorker(wedging)
    lease.send(muxOrder({ token: 1, workingFolder: working, ffmpegPath: null, publishTo }))
    await until('outcome')
    lease.release()
    const next = await leaseWorker(wedging)
    expect(next.lease.pid).not.toBe(lease.pid)
    expect(ends).toEqual([])
    lease.kill()
    expect(await end).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
    await wedging.close()
    await next.end
  })

  it('invariant 26: a fault in the handling of a message ends that attempt, never the host', async () => {
    const fault = new Error('of the handler')
    const end = Promise.withResolvers<unknown>()
    const lease = await pool.acquire({
      onMessage: () => {
        throw fault
      },
      onEnd: end.resolve,
    })
    lease.send(muxOrder({ token: 1, workingFolder: working, ffmpegPath: null, publishTo }))
    expect(await end.promise).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
    expect(faults).toContain(fault)
  })

  it('warms one worker, however often it is asked to, and gives that one first', async () => {
    let launched = 0
    const { launch } = forkLauncher({ entry: entryPoint('worker') })
    const counting = new SupervisedWorkerPool({ launch: () => ((launched += 1), launch()) })
    await Promise.all([counting.warm(), counting.warm()])
    await counting.warm()
    const first = await leaseWorker(counting)
    expect(launched).toBe(1)
    const second = await leaseWorker(counting)
    expect(launched).toBe(2)
    expect(first.lease.pid).not.toBe(second.lease.pid)
    await counting.close()
    await Promise.all([first.end, second.end])
  })

  it('closes while workers start, run, idle and are wedged, and then gives none', async () => {
    const idle = await leaseWorker(pool)
    idle.lease.release()
    await idle.end
    process.kill(idle.lease.pid, 'SIGSTOP')
    // leased from now on: a new worker, since the idle one is taken by the first of the two
    const wedged = await leaseWorker(pool, '', 'alone')
    const running = await muxing()
    const starting = leaseWorker(pool)
    const refused = expect(starting).rejects.toMatchObject({ code: 'INTERNAL' })
    const closed = pool.close()
    await refused
    await closed
    await Promise.all([wedged.end, running.end])
    for (const { lease } of [wedged, running]) expect(await startTimeOf(lease.pid)).toBeNull()
    expect(groupLives(running.group)).toBe(false)
    await expect(leaseWorker(pool)).rejects.toMatchObject({ code: 'INTERNAL' })
  })

  it('an idle worker that does not go when the pool closes is killed', async () => {
    const { lease, end } = await leaseWorker(pool)
    lease.release()
    await end
    process.kill(lease.pid, 'SIGSTOP')
    await pool.close()
    expect(await startTimeOf(lease.pid)).toBeNull()
  })

  it('rejects when no worker can be started', async () => {
    const broken = new SupervisedWorkerPool({ launch: () => Promise.reject(new Error('no process')) })
    await expect(leaseWorker(broken)).rejects.toMatchObject({ code: 'INTERNAL' })
    await broken.close()
  })
})
