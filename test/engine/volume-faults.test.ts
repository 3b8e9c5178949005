/** Full and dying drives, injected from outside the process. C065, F-rows of storage; needs root or strace. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, unlink, writeFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { PartialFile } from '../../src/worker/files/partial-file.ts'
import type { FaultServer } from '../fault-server/fault-server.ts'
import { WritePace } from '../../src/worker/files/write-pace.ts'
import { distrustedPace } from './distrusted-pace.ts'
import { MiB, it } from './engine-test.ts'
import { checkpointOf, sha256OfFile, sourceHash, summary } from './harness.ts'
import type { Rig } from './harness.ts'

const isRoot = process.getuid?.() === 0
const hasStrace = spawnSync('strace', ['-V']).status === 0
/** what writes by position: one slab, or several in a row */
const writes = 'pwrite64,pwritev'
/** Writes at which a fault is injected, from the first on; `SLUICE_STRACE_POINTS=40` tries all of issue 5. */
const points = Number(process.env['SLUICE_STRACE_POINTS'] ?? 4)

describe.skipIf(!isRoot)('a drive that fills up in mid-download', () => {
  it('C065 pauses, keeps what was written, and completes when there is room', async ({ server, rig }) => {
    const drive = rig.path('drive')
    await mkdir(drive)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', drive])
    try {
      const length = 6 * MiB
      server.serve('/f', { length, etag: '"v"', bytesPerSecond: 3 * MiB })
      const order = rig.order(server.url('/f'), { workingFolder: `${drive}/.w`, publishTo: `${drive}/out` })
      const run = rig.start(order, { limits: { connections: 1 } })
      await run.until(({ checkpoints }) => checkpoints.length > 1)
      await writeFile(`${drive}/filler`, Buffer.alloc(9 * MiB)).catch(() => null)
      const outcome = await run.outcome
      expect(outcome).toMatchObject({ cause: { kind: 'storage', resumesByItself: true } })
      expect(summary(outcome)).toBe('paused storage STORAGE_FULL')
      await unlink(`${drive}/filler`)
      const before = server.bodyBytesSent('/f')
      server.serve('/f', { length, etag: '"v"' })
      expect(summary(await rig.start(order, { checkpoint: checkpointOf(outcome) }).outcome)).toBe('completed')
      expect(await sha256OfFile(`${drive}/out`)).toBe(sourceHash(length))
      expect(server.bodyBytesSent('/f') - before).toBeLessThan(length)
    } finally {
      execFileSync('umount', ['-l', drive])
    }
  })
})

describe.skipIf(!isRoot)('slabs that lie in a row', () => {
  const paces = [
    ['by threads', distrustedPace],
    ['on the spot', () => new WritePace()],
  ] as const
  it.for(paces)('%s: up to where the drive was full they are written', async ([, pace], { rig }) => {
    const drive = rig.path('drive')
    await mkdir(drive)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', drive])
    try {
      const file = await PartialFile.create(`${drive}/f`, pace())
      const slab = Buffer.alloc(MiB / 4, 'x')
      const ends = await Promise.allSettled(
        [0, 1, 2, 3, 4, 5, 6].map((at) => file.write(slab, 0, slab.length, at * slab.length)),
      )
      expect(ends.map((end) => end.status === 'fulfilled')).toEqual([
        true,
        true,
        true,
        true,
        false,
        false,
        false,
      ])
      expect(ends[4]).toMatchObject({ reason: { advice: 'storage', error: { code: 'STORAGE_FULL' } } })
      expect(file.written).toEqual([[0, MiB]])
      expect(file.inFlight).toBe(0)
      await file.close()
    } finally {
      execFileSync('umount', ['-l', drive])
    }
  })
})

describe.skipIf(!hasStrace)('system calls that fail', () => {
  const length = 3 * MiB

  it.for(['on the spot', 'by threads'] as const)(
    `C065 ENOSPC at each of the first ${points} writes %s pauses and completes later`,
    { timeout: 30_000 + points * 15_000 },
    async (how, { server, rig }) => {
      // Long enough that there are as many writes.
      const long = Math.max(length, points * MiB)
      server.serve('/f', { length: long, etag: '"v"', bytesPerSecond: 8 * MiB })
      server.serve('/rest', { length: long, etag: '"v"' })
      for (let point = 1; point <= points; point++) {
        const faulty = await fetchUnderStrace(`${writes}:error=ENOSPC:when=${point}`, how, rig, server, '/f')
        expect(summary(faulty.outcome), `write ${point}`).toBe('paused storage STORAGE_FULL')
        expect(faulty.outcome).toMatchObject({ cause: { resumesByItself: true } })
        expect(faulty.entries).not.toContain('out.bin')
        const checkpoint = checkpointOf(faulty.outcome)
        const publishTo = rig.path(`out-${point}`)
        expect(summary(await rig.fetch(server.url('/rest'), { publishTo }, { checkpoint }))).toBe('completed')
        expect(await rig.sha256(`out-${point}`)).toBe(sourceHash(long))
        await unlink(publishTo)
      }
    },
  )

  it.for([
    [
      'EIO once at a write goes back to the checkpoint and completes',
      `${writes}:error=EIO:when=2`,
      'completed',
    ],
    ['EIO at every write pauses for good', `${writes}:error=EIO`, 'paused storage STORAGE_UNAVAILABLE'],
    ['a sync that fails once is not retried as if it had worked', 'fdatasync:error=EIO:when=1', 'completed'],
    ['a sync that always fails pauses for good', 'fdatasync:error=EIO', 'paused storage STORAGE_UNAVAILABLE'],
    ['EIO at the last sync goes back and completes', 'fsync:error=EIO:when=1', 'completed'],
    ['a quota at the sync pauses', 'fdatasync:error=EDQUOT', 'paused storage STORAGE_FULL'],
    ['a write that lies about its success is caught by the checksum', `${writes}:retval=4096:when=1`, null],
  ] as const)('%s', { timeout: 60_000 }, async ([, fault, expected], { server, rig }) => {
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 8 * MiB })
    // A call that claims success without writing is a lying drive: only the checksum can tell.
    const checksum = expected === null ? `sha256:${sourceHash(length)}` : null
    const { outcome } = await fetchUnderStrace(fault, 'on the spot', rig, server, '/f', checksum)
    if (expected === null) expect(summary(outcome)).toBe('failed CHECKSUM_MISMATCH')
    else expect(summary(outcome)).toBe(expected)
    if (outcome.kind === 'completed') expect(await rig.sha256()).toBe(sourceHash(length))
    if (outcome.kind === 'paused' && outcome.cause?.kind === 'storage') {
      expect(outcome.cause.resumesByItself).toBe(outcome.cause.error.code === 'STORAGE_FULL')
    }
  })
})

/** Runs one download from source under strace with a fault injected; one thread, so that `when` counts. */
async function fetchUnderStrace(
  fault: string,
  how: 'on the spot' | 'by threads',
  rig: Rig,
  server: FaultServer,
  path: string,
  checksum: string | null = null,
): Promise<{ outcome: Awaited<ReturnType<Rig['fetch']>>; entries: string[] }> {
  const order = JSON.stringify(rig.order(server.url(path), { checksum }))
  const script = `
    import { createEngine } from './src/worker/transfer/engine.ts'
    import { createFetchStep } from './src/worker/transfer/fetch-step.ts'
    const order = ${order}
    import { WritePace } from './src/worker/files/write-pace.ts'
    import { distrustedPace } from './test/engine/distrusted-pace.ts'
    const writePace = ${how === 'by threads' ? 'distrustedPace()' : 'new WritePace()'}
    const engine = createEngine({ environment: {}, timings: { checkpointMs: 100 }, writePace })
    const limits = { connections: 2, bytesPerSecond: null, retryBudget: 0, stallTimeoutMs: 10000 }
    const outcome = await createFetchStep(engine)(order, null, {
      stepId: 's', failures: 0, signal: new AbortController().signal, limits: () => limits, onLimits: () => () => {},
      reportProgress() {}, reportCheckpoint() {}, reportFacts() {},
      requestPublish: async () => ({ kind: 'publish', to: order.publishTo }), recordChild: async () => {},
    })
    console.log('OUTCOME ' + JSON.stringify(outcome))
    process.exit(0)`
  const call = fault.split(':')[0] ?? ''
  const child = spawn(
    'strace',
    [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${fault}`,
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, UV_THREADPOOL_SIZE: '1' } },
  )
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  await once(child, 'close')
  const line = /OUTCOME (.*)/.exec(output)?.[1] ?? 'null'
  return { outcome: JSON.parse(line) as Awaited<ReturnType<Rig['fetch']>>, entries: await rig.entries() }
}
