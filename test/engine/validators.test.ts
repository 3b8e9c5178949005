/** Whether the resource still is the one that was begun. C030, B18, B19, F21, F22 and the overlap proof. */
import { describe, expect } from 'vitest'
import type { Resource } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import type { FaultServer } from '../fault-server/fault-server.ts'
import type { Rig } from './harness.ts'
import { checkpointOf, sourceHash, summary } from './harness.ts'

const length = 8 * MiB
const modified = 'Sat, 01 Nov 2025 10:00:00 GMT'
const date = 'Sat, 29 Nov 2025 10:00:00 GMT'

/** Downloads some of a resource, pauses, and gives the checkpoint. */
async function pausedAt(server: FaultServer, rig: Rig, resource: Resource) {
  server.serve('/f', { length, bytesPerSecond: 2 * MiB, ...resource })
  const run = rig.start(rig.order(server.url('/f')), { limits: { connections: 1 } })
  await run.until(({ checkpoints }) =>
    checkpoints.some((one) => one.kind === 'ranges' && one.ranges.length > 0),
  )
  run.stop()
  const checkpoint = checkpointOf(await run.outcome)
  rig.restartEngine()
  return checkpoint
}

describe('invariant 21: a resource that changed during a pause', () => {
  it.for([
    ['B18 another strong tag', { etag: '"v"' }, { etag: '"w"', seed: 2 }],
    ['B18 another length under the same tag', { etag: '"v"' }, { etag: '"v"', seed: 2, length: length + 1 }],
    [
      'B18 another date',
      { lastModified: modified, date },
      { lastModified: 'Sun, 02 Nov 2025 10:00:00 GMT', date, seed: 2 },
    ],
    ['B19 C030 other bytes without any validator', {}, { seed: 2 }],
    ['B19 C030 other bytes under a weak tag', { etag: 'W/"v"' }, { etag: 'W/"v"', seed: 2 }],
    [
      'C030 other bytes under a date of the same second',
      { lastModified: date, date },
      { lastModified: date, date, seed: 2 },
    ],
  ] as [string, Resource, Resource][])(
    '%s: the old data is kept and the user is asked',
    async ([, before, after], { server, rig }) => {
      const checkpoint = await pausedAt(server, rig, before)
      server.serve('/f', { length, ...after })
      const outcome = await rig.fetch(server.url('/f'), {}, { checkpoint })
      expect(summary(outcome)).toBe('paused review REMOTE_CHANGED')
      expect(checkpointOf(outcome)).toEqual(checkpoint)
      server.serve('/f', { length, ...before })
      expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint: checkpointOf(outcome) }))).toBe(
        'completed',
      )
      expect(await rig.sha256()).toBe(sourceHash(length))
    },
  )

  it('B18 F21 asked to restart, the new version comes whole and the old one goes when it has been passed', async ({
    server,
    rig,
  }) => {
    const checkpoint = await pausedAt(server, rig, { etag: '"v"' })
    const asked = server.log.length
    server.serve('/f', { length, etag: '"w"', seed: 2, bytesPerSecond: 8 * MiB })
    const run = rig.start(rig.order(server.url('/f'), { changedResourcePolicy: 'restart' }), { checkpoint })
    await server.until(() => server.log.slice(asked).some(({ headers }) => headers['if-range'] === undefined))
    expect(await rig.entries()).toContain('.sluice-task/track.old')
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length, 2))
    expect(await rig.entries()).not.toContain('.sluice-task/track.old')
  })

  it('F21 a file replaced in mid-download is noticed by the next range and never mixed', async ({
    server,
    rig,
  }) => {
    const whole = 12 * MiB
    server.serve('/f', { length: whole, etag: '"v"', bytesPerSecond: 3 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    // before a second connection is opened: those that are get the old one to their ends, which would be no mixture
    await server.until(() => server.requests('/f').length === 1)
    server.serve('/f', { length: whole, etag: '"w"', seed: 2, bytesPerSecond: 8 * MiB })
    expect(summary(await run.outcome)).toBe('paused review REMOTE_CHANGED')
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it('F22 other bytes under the same tag are caught by a checksum', async ({ server, rig }) => {
    const checkpoint = await pausedAt(server, rig, { etag: '"v"' })
    server.serve('/f', { length, etag: '"v"', seed: 2 })
    const checksum = `sha256:${sourceHash(length)}`
    expect(summary(await rig.fetch(server.url('/f'), { checksum }, { checkpoint }))).toBe(
      'failed CHECKSUM_MISMATCH',
    )
    expect(await rig.entries()).not.toContain('out.bin')
  })
})

describe('proofs that a resource is the same', () => {
  it('C030 a weak tag is never sent as a condition', async ({ server, rig }) => {
    const checkpoint = await pausedAt(server, rig, { etag: 'W/"v"' })
    server.serve('/f', { length, etag: 'W/"v"' })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe('completed')
    for (const request of server.log) expect(request.headers['if-range']).toBeUndefined()
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C030 a strong date is', async ({ server, rig }) => {
    const checkpoint = await pausedAt(server, rig, { lastModified: modified, date })
    const before = server.log.length
    server.serve('/f', { length, lastModified: modified, date })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe('completed')
    for (const request of server.log.slice(before)) expect(request.headers['if-range']).toBe(modified)
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('B19 without a validator 64 KiB are fetched again and compared, over one connection', async ({
    server,
    rig,
  }) => {
    const checkpoint = await pausedAt(server, rig, {})
    const front = checkpoint?.kind === 'ranges' ? (checkpoint.ranges[0]?.[1] ?? 0) : 0
    expect(checkpoint).toMatchObject({ ranges: [[0, front]], validator: null })
    expect(server.mostConnections).toBe(1)
    const before = server.log.length
    server.serve('/f', { length })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe('completed')
    expect(server.log.slice(before).map((request) => request.range)).toEqual([
      { start: front - 65_536, end: null },
    ])
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('a host that repeats the whole under the same strong tag is taken at its word', async ({
    server,
    rig,
  }) => {
    const checkpoint = await pausedAt(server, rig, { etag: '"v"' })
    server.serve('/f', { length, etag: '"v"', ranges: 'ignore' })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('checksums', () => {
  it.for(['md5', 'sha1', 'sha256', 'sha512'])(
    'a right %s is accepted, a wrong one fails without a file',
    async (algorithm, { server, rig }) => {
      const { createHash } = await import('node:crypto')
      const { seededBytes } = await import('../fault-server/fault-server.ts')
      const hex = createHash(algorithm)
        .update(seededBytes(1, 0, 50_000))
        .digest('hex')
      server.serve('/f', { length: 50_000 })
      expect(summary(await rig.fetch(server.url('/f'), { checksum: `${algorithm}:${hex}` }))).toBe(
        'completed',
      )
      const wrong = {
        checksum: `${algorithm}:${hex.replace(/^./, (c) => (c === '0' ? '1' : '0'))}`,
        publishTo: rig.path('b'),
      }
      expect(summary(await rig.fetch(server.url('/f'), wrong))).toBe('failed CHECKSUM_MISMATCH')
      expect(await rig.entries()).not.toContain('b')
    },
  )

  it('of a large file is that of its bytes, through cuts, a pause and a host that begins again', async ({
    server,
    rig,
  }) => {
    const length = 48 * 1024 * 1024
    const checksum = `sha256:${sourceHash(length)}`
    const faults = [
      { breakAfter: { bytes: length / 2, how: 'reset' as const } },
      // The whole again under the same tag: what is held already is written once more.
      { status: 200, start: 0, end: length, headers: [['ETag', '"v"'] as const] },
    ]
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: length, faults })
    const one = { limits: { connections: 1 } }
    const run = rig.start(rig.order(server.url('/f'), { checksum }), one)
    await run.until(() => server.log.length > 1 && server.bodyBytesSent('/f') > length)
    run.stop()
    const checkpoint = checkpointOf(await run.outcome)
    expect(summary(await rig.fetch(server.url('/f'), { checksum }, { checkpoint }))).toBe('completed')
    const wrong = { checksum: `sha256:${sourceHash(1)}`, publishTo: rig.path('b') }
    server.serve('/f', { length, etag: '"v"' })
    expect(summary(await rig.fetch(server.url('/f'), wrong))).toBe('failed CHECKSUM_MISMATCH')
  })

  it('one that the host sends is checked too', async ({ server, rig }) => {
    const digest = Buffer.from(sourceHash(50_000, 2), 'hex').toString('base64')
    server.serve('/f', { length: 50_000, headers: [['Repr-Digest', `sha-256=:${digest}:`]] })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('failed CHECKSUM_MISMATCH')
    server.serve('/f', { length: 50_000, seed: 2, headers: [['Repr-Digest', `sha-256=:${digest}:`]] })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
  })

  it('what is no checksum is refused before anything is fetched', async ({ server, rig }) => {
    expect(summary(await rig.fetch(server.url('/f'), { checksum: 'crc32:00' }))).toBe('failed INVALID_INPUT')
    expect(server.log.length).toBe(0)
  })
})
