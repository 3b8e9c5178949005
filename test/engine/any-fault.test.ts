/**
 * The property that matters: whatever a host does, whenever it is paused, restarted or cut, a download that says
 * it is complete has the source's bytes (invariants 8 and 16). `SLUICE_PROPERTY_RUNS` raises the number of runs.
 */
import fc from 'fast-check'
import { describe, expect, onTestFinished } from 'vitest'
import type { Fault, Resource, SeenRequest } from '../fault-server/fault-server.ts'
import { distrustedPace } from './distrusted-pace.ts'
import { it } from './engine-test.ts'
import { Rig, sourceHash } from './harness.ts'
import { untilComplete } from './until-complete.ts'

const numRuns = Number(process.env['SLUICE_PROPERTY_RUNS'] ?? 25)

/** One thing a host does wrong in one answer. */
type Misdeed =
  | { kind: 'cut'; bytes: number; how: 'fin' | 'reset' }
  | { kind: 'stall'; bytes: number }
  | { kind: 'whole' }
  | { kind: 'short'; bytes: number }
  | { kind: 'lie'; by: number }
  | { kind: 'status'; status: number }
  | { kind: 'longer' }
  | { kind: 'chunked' }
  | { kind: 'drip' }
  | { kind: 'none' }

const bytes = fc.nat(600_000)
const misdeed: fc.Arbitrary<Misdeed> = fc.oneof(
  fc.record({
    kind: fc.constant('cut' as const),
    bytes,
    how: fc.constantFrom('fin' as const, 'reset' as const),
  }),
  fc.record({ kind: fc.constant('short' as const), bytes: fc.integer({ min: 1, max: 600_000 }) }),
  fc.record({ kind: fc.constant('lie' as const), by: fc.constantFrom(-1, 1, 4096) }),
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom(500, 503, 429) }),
  fc.constantFrom<Misdeed>(
    { kind: 'whole' },
    { kind: 'longer' },
    { kind: 'chunked' },
    { kind: 'drip' },
    { kind: 'none' },
  ),
  fc.record({ kind: fc.constant('stall' as const), bytes }),
)

function bend(request: SeenRequest, deed: Misdeed | undefined, resource: Resource): Fault {
  const { length = 0 } = resource
  const tag = resource.etag === undefined ? [] : [['ETag', resource.etag] as const]
  const start = request.range?.start ?? 0
  const end = Math.min(length, request.range?.end ?? length)
  const part = (from: number, to: number) => [
    ['Content-Range', `bytes ${from}-${to - 1}/${length}`] as const,
    ...tag,
  ]
  switch (deed?.kind) {
    case 'cut':
      return { breakAfter: { bytes: deed.bytes, how: deed.how } }
    case 'stall':
      return { breakAfter: { bytes: deed.bytes, how: 'stall' } }
    case 'whole':
      return { status: 200, start: 0, end: length, headers: tag }
    case 'short':
      return request.range === null || start >= length
        ? undefined
        : { end: Math.min(end, start + deed.bytes), headers: part(start, Math.min(end, start + deed.bytes)) }
    case 'lie':
      return request.range === null || start + deed.by < 0 || start + deed.by >= end
        ? undefined
        : { headers: part(start + deed.by, end) }
    case 'status':
      return { status: deed.status, headers: [], start: 0, end: Math.min(50, length) }
    case 'longer':
      return { trailingBytes: Buffer.alloc(5000, 'x') }
    case 'chunked':
      return { framing: 'chunked' }
    case 'drip':
      return { writeSize: 7919 }
    case 'none':
    case undefined:
      return undefined
  }
}

const scenario = fc.record({
  length: fc.integer({ min: 0, max: 5_000_000 }),
  validator: fc.constantFrom('tag', 'weak', 'none'),
  deeds: fc.array(misdeed, { maxLength: 12 }),
  /** bytes after which each attempt is paused; the rest of the attempts run freely */
  pauses: fc.array(fc.nat(800_000), { maxLength: 4 }),
  bytesPerSecond: fc.constantFrom(undefined, 4_000_000, 12_000_000),
  connections: fc.integer({ min: 1, max: 8 }),
})

describe('any sequence of cuts, stalls, lies, pauses and restarts', () => {
  const paces = [
    ['on the spot', {}],
    ['by threads', { writePace: distrustedPace() }],
  ] as const
  const title = 'invariant 8: ends in the bytes of the source, written %s'
  it.for(paces)(title, { timeout: 600_000 }, async ([, options], { server }) => {
    const rig = await Rig.create(options)
    onTestFinished(() => rig.close())
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        scenario,
        async ({ length, validator, deeds, pauses, bytesPerSecond, connections }) => {
          run += 1
          const path = `/f${run}`
          const changes = { workingFolder: rig.path(`.w${run}`), publishTo: rig.path(`out${run}`) }
          const resource: Resource = {
            length,
            seed: run,
            ...(validator === 'tag' ? { etag: '"v"' } : validator === 'weak' ? { etag: 'W/"v"' } : {}),
            ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
          }
          server.serve(path, {
            ...resource,
            faults: (request, number) => bend(request, deeds[number], resource),
          })
          const order = rig.order(server.url(path), { ...changes, changedResourcePolicy: 'restart' })
          const said = await untilComplete(rig, {
            start: (checkpoint) => rig.start(order, { checkpoint, limits: { connections, retryBudget: 2 } }),
            pauses,
            arrived: (_, bytes) => {
              const before = server.bodyBytesSent(path)
              return server.until(() => server.bodyBytesSent(path) >= before + bytes)
            },
          })
          expect(said).toBe('completed')
          expect(await rig.sha256(`out${run}`)).toBe(sourceHash(length, run))
        },
      ),
      { numRuns },
    )
  })
})
