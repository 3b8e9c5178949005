import { stat } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FaultServer } from '../fault-server/fault-server.ts'
import { Rig, checkpointOf, sourceHash, summary } from './harness.ts'

describe('a download', () => {
  let server: FaultServer
  let rig: Rig
  beforeEach(async () => {
    server = await FaultServer.start()
    rig = await Rig.create()
  })
  afterEach(async () => {
    await rig.close()
    await server.close()
  })

  it('gives a small file its name with one request', async () => {
    server.serve('/a', { length: 20_000, etag: '"v"' })
    expect(summary(await rig.fetch(server.url('/a')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(20_000))
    expect(server.log.map((request) => request.headers['range'])).toEqual(['bytes=0-'])
    expect(await rig.entries()).toEqual(expect.arrayContaining(['out.bin']))
  })

  it('fetches a large file over several connections that share the work', async () => {
    const length = 24 * 1024 * 1024
    server.serve('/a', { length, etag: '"v"', bytesPerSecond: 4 * 1024 * 1024 })
    expect(summary(await rig.fetch(server.url('/a')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(server.mostConnections).toBeGreaterThan(3)
  })

  it('pauses at once and goes on from there without asking for a byte twice', async () => {
    const length = 8 * 1024 * 1024
    server.serve('/a', { length, etag: '"v"', bytesPerSecond: 4 * 1024 * 1024 })
    const run = rig.start(rig.order(server.url('/a')))
    await server.until(() => server.bodyBytesSent('/a') > 2_000_000)
    const stoppedAt = performance.now()
    run.stop()
    const outcome = await run.outcome
    expect(performance.now() - stoppedAt).toBeLessThan(1000)
    expect(summary(outcome)).toBe('paused')
    const checkpoint = checkpointOf(outcome)
    const held = checkpoint?.kind === 'ranges' ? checkpoint.ranges : []
    expect(held.length).toBeGreaterThan(0)
    const before = server.log.length
    rig.restartEngine()
    expect(summary(await rig.fetch(server.url('/a'), {}, { checkpoint }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    for (const request of server.log.slice(before)) {
      expect(request.headers['if-range']).toBe('"v"')
      for (const [start, end] of held) {
        expect(request.range === null || request.range.start < start || request.range.start >= end).toBe(true)
      }
    }
    expect((await stat(rig.path('out.bin'))).size).toBe(length)
  })
})
