/** Files, folders and drives: durability, publishing, faults of the volume. C057, C065–C069, B11, B65, invariants 16 and 17. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  link,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { describe, expect } from 'vitest'
import type { Checkpoint } from '../../src/shared/task/resource.ts'
import { seededBytes } from '../fault-server/fault-server.ts'
import type { FaultServer } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import type { Rig } from './harness.ts'
import { checkpointOf, sourceHash, summary } from './harness.ts'
import { refuseRemoval } from './refuse-removal.ts'

const length = 4 * MiB
const partial = '.sluice-task/track'

async function pausedHalfway(server: FaultServer, rig: Rig): Promise<Checkpoint | null> {
  server.serve('/f', { length, etag: '"v"', bytesPerSecond: 8 * MiB })
  const run = rig.start(rig.order(server.url('/f')))
  await server.until(() => server.bodyBytesSent('/f') > length / 2)
  run.stop()
  const checkpoint = checkpointOf(await run.outcome)
  rig.restartEngine()
  server.serve('/f', { length, etag: '"v"' })
  return checkpoint
}

const resumed = async (server: FaultServer, rig: Rig, checkpoint: Checkpoint | null) =>
  summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))

describe('checkpoints', () => {
  it('invariant 16: name only bytes that are in the file as they are at the source', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 3 * MiB })
    const run = rig.start(rig.order(server.url('/f'), { publishTo: null }))
    let checked = 0
    await run.until(({ checkpoints }) => checkpoints.length > 3)
    for (const checkpoint of run.checkpoints) {
      if (checkpoint.kind !== 'ranges') continue
      const file = await open(rig.path(partial))
      for (const [start, end] of checkpoint.ranges) {
        const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
        expect(buffer.equals(seededBytes(1, start, end))).toBe(true)
        checked += 1
      }
      await file.close()
    }
    expect(checked).toBeGreaterThan(0)
    await run.outcome
  })

  it('invariant 16: data without a checkpoint is begun anew', async ({ server, rig }) => {
    await pausedHalfway(server, rig)
    expect(await resumed(server, rig, null)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('invariant 16: a checkpoint without data is begun anew', async ({ server, rig }) => {
    const checkpoint = await pausedHalfway(server, rig)
    await rm(rig.path('.sluice-task'), { recursive: true })
    expect(await resumed(server, rig, checkpoint)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it.for(['edited', 'shorter', 'longer', 'zeroed', 'a link', 'a second name'] as const)(
    'B65 a partial that is %s is not believed where it must not be',
    async (how, { server, rig }) => {
      const checkpoint = await pausedHalfway(server, rig)
      const path = rig.path(partial)
      const front = checkpoint?.kind === 'ranges' ? (checkpoint.ranges[0]?.[1] ?? 0) : 0
      if (how === 'edited') {
        const file = await open(path, 'r+')
        await file.write(Buffer.from('x'), 0, 1, front - 10)
        await file.close()
      }
      if (how === 'shorter') await truncate(path, 1000)
      if (how === 'longer') await truncate(path, length * 2)
      if (how === 'zeroed') await writeFile(path, Buffer.alloc(length))
      if (how === 'a link') {
        await rename(path, rig.path('elsewhere'))
        await symlink(rig.path('elsewhere'), path)
      }
      if (how === 'a second name') await link(path, rig.path('elsewhere'))
      const before =
        how === 'a link' || how === 'a second name' ? await readFile(rig.path('elsewhere')) : null
      expect(await resumed(server, rig, checkpoint)).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
      expect((await stat(rig.path('out.bin'))).size).toBe(length)
      if (before !== null) expect((await readFile(rig.path('elsewhere'))).equals(before)).toBe(true)
    },
  )

  it('C057 a file of full size without a checkpoint is never taken for whole', async ({ server, rig }) => {
    server.serve('/f', { length, etag: '"v"' })
    await mkdir(rig.path('.sluice-task'), { mode: 0o700 })
    await writeFile(rig.path(partial), Buffer.alloc(length))
    expect(await resumed(server, rig, null)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('offsets', () => {
  it('beyond 4 GiB are right', async ({ server, rig }) => {
    const held = 6 * 1024 * MiB
    const whole = held + 123_457
    await mkdir(rig.path('.sluice-task'), { mode: 0o700 })
    await writeFile(rig.path(partial), '')
    await truncate(rig.path(partial), held)
    const checkpoint: Checkpoint = {
      kind: 'ranges',
      fileName: 'track',
      length: whole,
      validator: { kind: 'etag', value: '"v"' },
      finalUrl: server.url('/f'),
      ranges: [[0, held]],
      fronts: [{ end: held, length: 1, crc32: crc32(Buffer.of(0)) }],
    }
    server.serve('/f', { length: whole, etag: '"v"' })
    expect(await resumed(server, rig, checkpoint)).toBe('completed')
    expect(server.log.map((request) => request.range)).toEqual([{ start: held, end: null }])
    const file = await open(rig.path('out.bin'))
    const { buffer } = await file.read(Buffer.alloc(123_457), 0, 123_457, held)
    expect(buffer.equals(seededBytes(1, held, whole))).toBe(true)
    expect((await file.stat()).size).toBe(whole)
    await file.close()
  })
})

describe('names on disk', () => {
  it('invariant 17: the final name is there only at the end', async ({ server, rig }) => {
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
    let before: string[] = []
    const run = rig.start(rig.order(server.url('/f')), {
      publish: async () => {
        before = await rig.entries()
        return { kind: 'publish', to: rig.path('out.bin') }
      },
    })
    await run.until(({ progress }) => (progress.at(-1)?.fraction ?? 0) > 0.5)
    expect(await rig.entries()).not.toContain('out.bin')
    await run.outcome
    expect(before).not.toContain('out.bin')
    expect(await rig.entries()).toContain('out.bin')
    expect(await rig.entries()).not.toContain(partial)
  })

  it.for(['a file', 'a folder', 'a link', 'a dangling link'] as const)(
    'B11 17 %s in the way is never replaced or followed: another name is asked for',
    async (what, { server, rig }) => {
      server.serve('/f', { length: 1000 })
      const taken = rig.path('out.bin')
      if (what === 'a file') await writeFile(taken, 'mine')
      if (what === 'a folder') await mkdir(taken)
      if (what === 'a link') {
        await writeFile(rig.path('target'), 'mine')
        await symlink(rig.path('target'), taken)
      }
      if (what === 'a dangling link') await symlink(rig.path('nowhere'), taken)
      const asked: (string | null)[] = []
      const run = rig.start(rig.order(server.url('/f')), {
        publish: (_, takenPath) => {
          asked.push(takenPath)
          return Promise.resolve({
            kind: 'publish',
            to: takenPath === null ? taken : rig.path('out (1).bin'),
          })
        },
      })
      const outcome = await run.outcome
      expect(outcome).toMatchObject({
        kind: 'completed',
        result: { output: { path: rig.path('out (1).bin'), size: 1000 } },
      })
      expect(asked).toEqual([null, taken])
      expect(await rig.sha256('out (1).bin')).toBe(sourceHash(1000))
      if (what === 'a file') expect(await readFile(taken, 'utf8')).toBe('mine')
      if (what === 'a link') expect(await readFile(rig.path('target'), 'utf8')).toBe('mine')
      expect(await rig.entries()).not.toContain('nowhere')
    },
  )

  it('a refused publication keeps the verified file, and the next attempt needs no request', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length, etag: '"v"' })
    const run = rig.start(rig.order(server.url('/f')), {
      publish: () => Promise.resolve({ kind: 'refused' }),
    })
    const outcome = await run.outcome
    expect(summary(outcome)).toBe('paused')
    const requests = server.log.length
    expect(await resumed(server, rig, checkpointOf(outcome))).toBe('completed')
    expect(server.log.length).toBe(requests)
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('invariant 17: an attempt that died between link and unlink is completed by the next one', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length, etag: '"v"' })
    const run = rig.start(rig.order(server.url('/f')), {
      publish: () => Promise.resolve({ kind: 'refused' }),
    })
    await run.outcome
    await link(rig.path(partial), rig.path('out.bin'))
    const { publishFile } = await import('../../src/worker/files/publish.ts')
    const to = rig.path('out.bin')
    const published = await publishFile(rig.path(partial), {
      requestPublish: () => Promise.resolve({ kind: 'publish', to }),
    })
    expect(published).toMatchObject({ kind: 'published', result: { output: { path: to, size: length } } })
    expect(await readdir(rig.path('.sluice-task'))).toEqual([])
  })

  it('a file that has its name is published, though its first one cannot be removed', async ({
    rig,
    skip,
  }) => {
    const { publishFile } = await import('../../src/worker/files/publish.ts')
    const [from, to] = [rig.path('held/0-0.part'), rig.path('out.bin')]
    await mkdir(rig.path('held'))
    await writeFile(from, 'whole')
    const letsRemove = await refuseRemoval(rig.path('held'))
    if (letsRemove === null) return skip('this file system keeps no folder from changing')
    try {
      const published = await publishFile(from, {
        requestPublish: () => Promise.resolve({ kind: 'publish', to }),
      })
      expect(published).toMatchObject({
        kind: 'published',
        result: { kind: 'file', output: { path: to, size: 5 }, hasFirstName: true },
      })
      expect(await readdir(rig.path('held'))).toEqual(['0-0.part'])
    } finally {
      await letsRemove()
    }
  })

  it('a track stays in the working folder, with the identity of what was written', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 1000 })
    const outcome = await rig.fetch(server.url('/f'), { publishTo: null })
    const { dev, ino, mtimeNs } = await stat(rig.path(partial), { bigint: true })
    expect(outcome).toEqual({
      kind: 'completed',
      result: {
        kind: 'track',
        output: { path: rig.path(partial), size: 1000, identity: `${dev}:${ino}:${mtimeNs}` },
      },
    })
  })

  it('no file gets an execute bit', async ({ server, rig }) => {
    server.serve('/f', { length: 1000 })
    await rig.fetch(server.url('/f'))
    expect((await stat(rig.path('out.bin'))).mode & 0o111).toBe(0)
  })

  it('a link in place of the working folder is not followed', async ({ server, rig }) => {
    server.serve('/f', { length: 1000 })
    await mkdir(rig.path('victim'))
    await symlink(rig.path('victim'), rig.path('.sluice-task'))
    expect(summary(await rig.fetch(server.url('/f')))).toBe('paused storage STORAGE_UNAVAILABLE')
    expect(await readdir(rig.path('victim'))).toEqual([])
  })

  it('a file name that is a path is our own fault, told as such', async ({ server, rig }) => {
    await expect(rig.fetch(server.url('/f'), { fileName: '../x' })).rejects.toMatchObject({
      code: 'INTERNAL',
    })
  })
})

describe('faults of the volume', () => {
  it('C069 a folder that is missing pauses, is not made again, and goes on when it is back', async ({
    server,
    rig,
  }) => {
    const checkpoint = await pausedHalfway(server, rig)
    const inside = rig.path('inside')
    await mkdir(inside)
    const order = rig.order(server.url('/f'), { workingFolder: `${inside}/.w`, publishTo: `${inside}/out` })
    await rename(rig.path('.sluice-task'), `${inside}/.w`)
    await rename(inside, rig.path('gone'))
    const paused = await rig.start(order, { checkpoint }).outcome
    expect(paused).toMatchObject({ kind: 'paused', cause: { kind: 'storage', resumesByItself: true } })
    expect(await rig.entries()).not.toContain('inside')
    await rename(rig.path('gone'), inside)
    const before = server.bodyBytesSent('/f')
    expect(summary(await rig.start(order, { checkpoint }).outcome)).toBe('completed')
    expect(server.bodyBytesSent('/f') - before).toBeLessThan(length * 0.75)
    expect(await rig.sha256('inside/out')).toBe(sourceHash(length))
  })

  it('C066 what is asked of the volume is what is still to come', async ({ server, rig }) => {
    const huge = 2 ** 50
    server.serve('/f', { length: huge, etag: '"v"', bytesPerSecond: MiB })
    const outcome = await rig.fetch(server.url('/f'))
    expect(summary(outcome)).toBe('paused storage STORAGE_FULL')
    const details = outcome.kind === 'paused' ? outcome.cause?.error.details : undefined
    expect(details).toMatchObject({ neededBytes: huge })
    const checkpoint: Checkpoint = {
      kind: 'ranges',
      fileName: 'track',
      length: huge,
      validator: { kind: 'etag', value: '"v"' },
      finalUrl: server.url('/f'),
      ranges: [[0, huge - 1000]],
      fronts: [{ end: huge - 1000, length: 1, crc32: crc32(Buffer.of(0)) }],
    }
    await mkdir(rig.path('.sluice-task'), { recursive: true })
    await unlink(rig.path(partial)).catch(() => null)
    await writeFile(rig.path(partial), '')
    // A sparse file as long as the volume allows stands for one that is nearly whole.
    const length16 = 2 ** 43
    await truncate(rig.path(partial), length16)
    const nearly: Checkpoint = {
      ...checkpoint,
      length: length16,
      ranges: [[0, length16 - 1000]],
      fronts: [{ end: length16 - 1000, length: 1, crc32: crc32(Buffer.of(0)) }],
    }
    server.serve('/f', { length: length16, etag: '"v"', bytesPerSecond: 200 })
    const run = rig.start(rig.order(server.url('/f')), { checkpoint: nearly })
    await server.until(
      () => server.bodyBytesSent('/f') > 0 && server.log.at(-1)?.range?.start === length16 - 1000,
    )
    run.stop()
    expect(summary(await run.outcome)).toBe('paused')
  })

  it('C021 a path that is too long is told as such', async ({ server, rig }) => {
    server.serve('/f', { length: 1000 })
    const workingFolder = `${rig.folder}/${'x'.repeat(300)}`
    const outcome = await rig.fetch(server.url('/f'), { workingFolder })
    expect(outcome).toMatchObject({ kind: 'paused', cause: { kind: 'storage', resumesByItself: false } })
    expect(JSON.stringify(outcome)).toContain('too long')
  })

  it('F16 running out of handles is waited for, not failed by', async ({ server, rig }) => {
    server.serve('/f', { length: 1000 })
    for (const free of [0, 1]) {
      const prelude = `
        import { closeSync, openSync } from 'node:fs'
        const held = []
        try { for (;;) held.push(openSync('/dev/null')) } catch {}
        for (let i = 0; i < ${free}; i++) closeSync(held.pop())
        setTimeout(() => held.forEach((fd) => closeSync(fd)), 400)`
      const outcome = await fetchUnder('ulimit -n 80', rig, server.url('/f'), prelude)
      // Whole and verified; this host's side refuses to publish.
      expect(outcome).toMatchObject({ kind: 'paused', checkpoint: { ranges: [[0, 1000]] }, cause: null })
    }
  })

  it('a folder that cannot be written pauses', async ({ server, rig }) => {
    if (process.getuid?.() === 0) return
    server.serve('/f', { length: 1000 })
    await chmod(rig.folder, 0o500)
    expect(summary(await rig.fetch(server.url('/f')))).toBe('paused storage STORAGE_UNAVAILABLE')
    await chmod(rig.folder, 0o700)
  })

  for (const [id, limit, code] of [
    ['C067 a file too large for its drive', 'ulimit -f 1024', 'STORAGE_UNAVAILABLE'],
  ] as const) {
    it(`${id} is told in words, does not come back by itself, and nothing more is fetched`, async ({
      server,
      rig,
    }) => {
      server.serve('/f', { length: 8 * MiB, ranges: 'ignore', framing: 'chunked', bytesPerSecond: 16 * MiB })
      const outcome = await fetchUnder(limit, rig, server.url('/f'))
      expect(outcome).toMatchObject({
        kind: 'paused',
        cause: { kind: 'storage', resumesByItself: false, error: { code } },
      })
      expect(server.log.length).toBe(1)
      expect(server.bodyBytesSent('/f')).toBeLessThan(8 * MiB)
    })
  }
})

/** Runs one download in a shell with a limit set, from source, and gives its outcome. */
async function fetchUnder(limit: string, rig: Rig, url: string, prelude = ''): Promise<unknown> {
  const order = JSON.stringify(rig.order(url))
  const script = `
    import { createEngine } from './src/worker/transfer/engine.ts'
    import { createFetchStep } from './src/worker/transfer/fetch-step.ts'
    process.on('SIGXFSZ', () => null)
    ${prelude}
    const engine = createEngine({ environment: {} })
    const limits = { connections: 4, bytesPerSecond: null, retryBudget: 5, stallTimeoutMs: 10000 }
    const outcome = await createFetchStep(engine)(${order}, null, {
      stepId: 's', failures: 0, signal: new AbortController().signal, limits: () => limits, onLimits: () => () => {},
      reportProgress() {}, reportCheckpoint() {}, reportFacts() {},
      requestPublish: async () => ({ kind: 'refused' }), recordChild: async () => {},
    })
    console.log(JSON.stringify(outcome))
    process.exit(0)`
  const child = spawn(
    'sh',
    ['-c', `${limit}; exec "$0" --input-type=module -e "$1"`, process.execPath, script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let output = ''
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
  await once(child, 'close')
  return JSON.parse(output)
}
