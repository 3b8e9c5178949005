import { once } from 'node:events'
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entryPoint } from '../../src/adapters/entry-point.ts'
import { startTimeOf } from '../../src/adapters/process-identity.ts'
import { forkLauncher } from '../../src/adapters/workers/launcher.ts'
import { SupervisedWorkerPool } from '../../src/adapters/workers/supervised-worker-pool.ts'
import type { WorkerEnd, WorkerLease } from '../../src/core/ports.ts'
import type { HostMessage, WorkerMessage } from '../../src/shared/worker-protocol.ts'
import { FaultServer } from '../fault-server/fault-server.ts'

const limits = { connections: 1, bytesPerSecond: null, retryBudget: 0, stallTimeoutMs: 10_000 }

/** A lease whose news can be awaited. */
interface Leased {
  lease: WorkerLease
  messages: WorkerMessage[]
  end: Promise<WorkerEnd>
  ended: WorkerEnd[]
  until: (condition: (message: WorkerMessage) => boolean) => Promise<WorkerMessage>
}

async function acquire(pool: SupervisedWorkerPool): Promise<Leased> {
  const messages: WorkerMessage[] = []
  const ended: WorkerEnd[] = []
  const waiting = new Set<(message: WorkerMessage) => void>()
  const end = Promise.withResolvers<WorkerEnd>()
  const lease = await pool.acquire({
    onMessage: (message) => {
      messages.push(message)
      for (const look of [...waiting]) look(message)
    },
    onEnd: (how) => {
      ended.push(how)
      end.resolve(how)
    },
  })
  const until: Leased['until'] = (condition) =>
    new Promise((resolve) => {
      const look = (message: WorkerMessage) => {
        if (!condition(message)) return
        waiting.delete(look)
        resolve(message)
      }
      const seen = messages.find(condition)
      if (seen === undefined) waiting.add(look)
      else resolve(seen)
    })
  return { lease, messages, end: end.promise, ended, until }
}

describe('the pool of worker processes', () => {
  let pool: SupervisedWorkerPool
  let server: FaultServer
  let folder: string

  beforeEach(async () => {
    pool = new SupervisedWorkerPool(forkLauncher({ entry: entryPoint('worker') }))
    server = await FaultServer.start()
    folder = await mkdtemp(join(tmpdir(), 'sluice-pool-'))
  })
  afterEach(async () => {
    await pool.close()
    await server.close()
    await rm(folder, { recursive: true })
  })

  function fetchOrder(token: number, path: string): HostMessage {
    return {
      kind: 'run-step',
      attemptId: `attempt-${token}`,
      token,
      stepId: 'step',
      order: {
        kind: 'fetch',
        source: { url: server.url(path), headers: [], facts: null },
        workingFolder: join(folder, `working-${token}`),
        fileName: 'track',
        checksum: null,
        proxy: null,
        refusePage: true,
        changedResourcePolicy: 'ask',
        publishTo: null,
      },
      checkpoint: null,
      failures: 0,
      limits,
    }
  }

  it('carries out a step, and every report repeats attempt and token with a rising number', async () => {
    server.serve('/file', { length: 300_000, seed: 1, etag: '"a"' })
    const { lease, messages, until } = await acquire(pool)
    lease.send(fetchOrder(3, '/file'))
    const outcome = await until((message) => message.kind === 'outcome')
    expect(outcome).toMatchObject({
      token: 3,
      outcome: { kind: 'completed', result: { output: { size: 300_000 } } },
    })
    expect(new Set(messages.map((message) => `${message.attemptId} ${message.token}`))).toEqual(
      new Set(['attempt-3 3']),
    )
    const numbers = messages.map((message) => message.seq)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
  })

  it.runIf(process.platform === 'linux')('has a thread for the files of each attempt', async () => {
    server.serve('/file', { length: 300, seed: 1, etag: '"a"' })
    const { lease, until } = await acquire(pool)
    lease.send(fetchOrder(3, '/file'))
    await until((message) => message.kind === 'outcome')
    const tasks = `/proc/${lease.pid}/task`
    const names = await Promise.all(
      (await readdir(tasks)).map((task) => readFile(join(tasks, task, 'comm'), 'utf8')),
    )
    expect(names.filter((name) => name.startsWith('libuv-worker'))).toHaveLength(16)
  })

  it('uses a healthy worker again', async () => {
    const first = await acquire(pool)
    first.lease.release()
    expect(await first.end).toEqual({ kind: 'returned' })
    const second = await acquire(pool)
    expect(second.lease.pid).toBe(first.lease.pid)
    second.lease.release()
    await second.end
    first.lease.release()
    expect(first.ended).toHaveLength(1)
  })

  it('tells the end of a worker that was killed, once, and gives another one next', async () => {
    const { lease, end, ended } = await acquire(pool)
    process.kill(lease.pid, 'SIGKILL')
    expect(await end).toEqual({ kind: 'exited', code: null, signal: 'SIGKILL' })
    expect(await startTimeOf(lease.pid)).toBeNull()
    lease.kill()
    lease.release()
    const next = await acquire(pool)
    expect(next.lease.pid).not.toBe(lease.pid)
    expect(ended).toHaveLength(1)
  })

  it('a stopped (SIGSTOP) worker can still be killed', async () => {
    const { lease, end } = await acquire(pool)
    process.kill(lease.pid, 'SIGSTOP')
    lease.kill()
    expect(await end).toMatchObject({ kind: 'exited', signal: 'SIGKILL' })
  })

  it('does not send an order of another attempt than the one at work', async () => {
    server.serve('/slow', { length: 10_000_000, seed: 1, etag: '"a"', bytesPerSecond: 100_000 })
    server.serve('/old', { length: 10, seed: 1 })
    const { lease, until } = await acquire(pool)
    lease.send(fetchOrder(9, '/slow'))
    await server.until(() => server.bodyBytesSent('/slow') > 0)
    lease.send(fetchOrder(8, '/old'))
    lease.send({ kind: 'stop-steps', attemptId: 'attempt-9', token: 9, stepIds: ['step'], how: 'checkpoint' })
    expect(await until((message) => message.kind === 'outcome')).toMatchObject({
      token: 9,
      outcome: { kind: 'paused', cause: null },
    })
    expect(server.requests('/old')).toEqual([])
  })

  it('3.3.12: kills processes of a previous life, but never a reused pid, nor one that is gone', async () => {
    const script = 'setInterval(() => null, 1000); process.send("up")'
    const start = async (): Promise<ChildProcess> => {
      const child = fork('-e', [script], { execArgv: [], execPath: process.execPath, detached: true })
      await once(child, 'message')
      return child
    }
    const [victim, stranger] = [await start(), await start()]
    const exited = once(victim, 'exit')
    const recorded = { pid: victim.pid ?? 0, startTime: (await startTimeOf(victim.pid ?? 0)) ?? '' }
    await pool.killRecorded([recorded, { pid: stranger.pid ?? 0, startTime: '1' }])
    await exited
    await pool.killRecorded([recorded])
    expect(await startTimeOf(stranger.pid ?? 0)).not.toBeNull()
    stranger.kill('SIGKILL')
    await once(stranger, 'exit')
  })

  it('a worker ends by itself within two seconds when its host is killed', async () => {
    const host = fork(join(import.meta.dirname, 'pool-host.ts'))
    const [workerPid] = (await once(host, 'message')) as [number]
    const started = await startTimeOf(workerPid)
    expect(started).not.toBeNull()
    host.kill('SIGKILL')
    const killedAt = performance.now()
    while ((await startTimeOf(workerPid)) === started && performance.now() - killedAt < 5_000) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(performance.now() - killedAt).toBeLessThan(2_000)
  })
})
