/** Invariant 21 where the link has changed: what is held goes on only after blocks of it were compared. */
import { describe, expect } from 'vitest'
import type { Checkpoint, ResourceFacts } from '../../src/shared/task/resource.ts'
import type { FetchOrder } from '../../src/worker/transfer/fetch-order.ts'
import { fixedBody, seededBytes } from '../fault-server/fault-server.ts'
import type { Fault, FaultServer, Resource } from '../fault-server/fault-server.ts'
import { MiB, it as base } from './engine-test.ts'
import { Rig, checkpointOf, quickTimings, sourceHash, summary } from './harness.ts'

/** The random block begins with the byte in the middle of what is held. */
const it = base.extend<{ rig: Rig }>({
  rig: async ({}, use) => {
    const rig = await Rig.create({ timings: quickTimings, environment: {}, chance: () => 0.5 })
    await use(rig)
    await rig.close()
  },
})

const length = 8 * MiB
const block = 64 * 1024

type Ranges = Extract<Checkpoint, { kind: 'ranges' }>

/** Some of `/old` without any validator, as an edit of the link leaves it to be proved. */
async function heldOfOld(server: FaultServer, rig: Rig): Promise<Ranges> {
  server.serve('/old', { length, bytesPerSecond: 4 * MiB })
  const run = rig.start(rig.order(server.url('/old')), { limits: { connections: 1 } })
  await server.until(() => server.bodyBytesSent('/old') > 2 * MiB)
  run.stop()
  return toBeProved(checkpointOf(await run.outcome), rig)
}

function toBeProved(checkpoint: Checkpoint | null, rig: Rig): Ranges {
  rig.restartEngine()
  if (checkpoint?.kind !== 'ranges' || checkpoint.ranges.length === 0) throw new Error('nothing is held')
  return { ...checkpoint, validator: null, toBeProved: true }
}

/** The order for `/new` after it was looked up. */
function fresh(server: FaultServer, rig: Rig, facts: Partial<ResourceFacts> = {}): FetchOrder {
  const url = server.url('/new')
  const looked = {
    finalUrl: url,
    length,
    validator: null,
    acceptsRanges: true,
    contentType: null,
    checksum: null,
  }
  return rig.order(url, { source: { url, headers: [], facts: { ...looked, ...facts } } })
}

const frontOf = ({ ranges }: Ranges): number => ranges[0]?.[1] ?? 0

function blocksOf(held: Ranges) {
  const front = frontOf(held)
  const middle = Math.floor(front * 0.5)
  return [
    { start: 0, end: block },
    { start: middle, end: middle + block },
    { start: front - block, end: front },
  ]
}

/** The source with other bytes at one place. */
function alteredAt(offset: number): Resource {
  const bytes = Buffer.from(seededBytes(1, 0, length))
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  return { body: fixedBody(bytes) }
}

describe('what is held of another link', () => {
  it('is gone on from when the first, the last and a random block are those of this one', async ({
    server,
    rig,
  }) => {
    const held = await heldOfOld(server, rig)
    server.serve('/new', { length })
    expect(summary(await rig.start(fresh(server, rig), { checkpoint: held }).outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    const front = frontOf(held)
    expect(server.requests('/new').map(({ range }) => range)).toEqual([
      ...blocksOf(held),
      // without a validator each further answer proves itself, too
      { start: front - block, end: null },
    ])
  })

  it('is vouched for by the validator of this one from then on, over several connections', async ({
    server,
    rig,
  }) => {
    const held = await heldOfOld(server, rig)
    server.serve('/new', { length, etag: '"n"', bytesPerSecond: 2 * MiB })
    const run = rig.start(fresh(server, rig), { checkpoint: held })
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    const [, , , ...further] = server.requests('/new')
    expect(further.length).toBeGreaterThan(1)
    for (const request of further) {
      expect(request.headers['if-range']).toBe('"n"')
      expect(request.range?.start).toBeGreaterThanOrEqual(frontOf(held))
    }
    expect(run.checkpoints.at(-1)).toMatchObject({ validator: { kind: 'etag', value: '"n"' } })
    expect(run.checkpoints.at(-1)).not.toHaveProperty('toBeProved')
  })

  it.for([
    ['at the beginning', 0],
    ['in the middle', 0.5],
    ['at the end', 1],
  ] as const)('is kept and asked about when one byte %s is another', async ([, place], { server, rig }) => {
    const held = await heldOfOld(server, rig)
    const offset = Math.min(frontOf(held) - 1, Math.floor(place * frontOf(held)) + 100)
    server.serve('/new', alteredAt(offset))
    const outcome = await rig.start(fresh(server, rig), { checkpoint: held }).outcome
    expect(summary(outcome)).toBe('paused review REMOTE_CHANGED')
    // still to be proved, and still that of the old link
    expect(checkpointOf(outcome)).toEqual(held)
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it('is kept and asked about when this one gives no parts, has another length, or changes meanwhile', async ({
    server,
    rig,
  }) => {
    const held = await heldOfOld(server, rig)
    const resources: Resource[] = [
      { length, ranges: 'ignore' },
      { length: length + 1 },
      {
        length,
        faults: ({ range }, number) => {
          const { start = 0, end } = range ?? {}
          const part = `bytes ${start}-${(end ?? length) - 1}/${length}`
          return {
            headers: [
              ['ETag', `"${number}"`],
              ['Content-Range', part],
            ],
          }
        },
      },
    ]
    for (const resource of resources) {
      server.serve('/new', resource)
      const outcome = await rig.start(fresh(server, rig), { checkpoint: held }).outcome
      expect(summary(outcome)).toBe('paused review REMOTE_CHANGED')
      expect(checkpointOf(outcome)).toEqual(held)
    }
  })

  it('is begun anew where the look-up said that there are no parts to compare', async ({ server, rig }) => {
    const held = await heldOfOld(server, rig)
    server.serve('/new', { length, seed: 2, ranges: 'ignore' })
    const order = fresh(server, rig, { acceptsRanges: false })
    expect(summary(await rig.start(order, { checkpoint: held }).outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length, 2))
  })

  it.for([
    ['refuses', { status: 503 }],
    ['resets the connection', { breakAfter: { bytes: 1000, how: 'reset' } }],
    ['sends too little', { breakAfter: { bytes: 1000, how: 'fin' } }],
    ['falls silent', { breakAfter: { bytes: 1000, how: 'stall' } }],
    ['gives another place', { headers: [['Content-Range', `bytes 5-${block + 4}/${length}`]] }],
  ] as [string, Fault][])('is proved by a host that %s at first', async ([, fault], { server, rig }) => {
    const held = await heldOfOld(server, rig)
    server.serve('/new', { length, etag: '"n"', faults: [undefined, fault] })
    expect(summary(await rig.start(fresh(server, rig), { checkpoint: held }).outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('stays to be proved when the step is stopped meanwhile, at once', async ({ server, rig }) => {
    const held = await heldOfOld(server, rig)
    server.serve('/new', { length, faults: () => ({ breakAfter: { bytes: 1000, how: 'stall' } }) })
    const run = rig.start(fresh(server, rig), { checkpoint: held })
    await server.until(() => server.bodyBytesSent('/new') === 1000)
    run.stop()
    expect(checkpointOf(await run.outcome)).toEqual(held)
  })

  it('is proved where it lies, also without its beginning', async ({ server, rig }) => {
    server.serve('/old', { length, etag: '"v"', bytesPerSecond: MiB })
    const run = rig.start(rig.order(server.url('/old')), { limits: { connections: 4 } })
    await run.until(({ checkpoints }) =>
      checkpoints.some((each) => each.kind === 'ranges' && each.ranges.length > 2),
    )
    run.stop()
    const whole = toBeProved(checkpointOf(await run.outcome), rig)
    // as when the last bytes of the first range do not have their sum any more
    const held = { ...whole, ranges: whole.ranges.slice(1), fronts: whole.fronts.slice(1) }
    server.serve('/new', { length, seed: 2 })
    const outcome = await rig.start(fresh(server, rig), { checkpoint: held }).outcome
    expect(summary(outcome)).toBe('paused review REMOTE_CHANGED')
    expect(checkpointOf(outcome)).toMatchObject({ ranges: held.ranges })
    server.serve('/new', { length })
    expect(summary(await rig.start(fresh(server, rig), { checkpoint: held }).outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('is fetched no further when it is whole already', async ({ server, rig }) => {
    server.serve('/old', { length })
    const refused = { publish: () => Promise.resolve({ kind: 'refused' as const }) }
    const outcome = await rig.start(rig.order(server.url('/old')), refused).outcome
    const held = toBeProved(checkpointOf(outcome), rig)
    expect(held.ranges).toEqual([[0, length]])
    server.serve('/new', { length })
    expect(summary(await rig.start(fresh(server, rig), { checkpoint: held }).outcome)).toBe('completed')
    expect(server.requests('/new').map(({ range }) => range)).toEqual(blocksOf(held))
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})
