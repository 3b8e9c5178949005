/** Hosts that speak HTTP/2 only. C048. */
import { connect as connectTcp, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:tls'
import fc from 'fast-check'
import { test as base, describe, expect } from 'vitest'
import { testCertificates } from '../fault-server/fault-server.ts'
import { Http2Server } from '../fault-server/http2-server.ts'
import { TestProxy } from '../fault-server/proxies.ts'
import { MiB } from './engine-test.ts'
import { Rig, askedAgain, checkpointOf, quickTimings, sourceHash, summary } from './harness.ts'
import { untilComplete } from './until-complete.ts'

const trusting = { timings: quickTimings, environment: {}, certificates: [testCertificates.authority()] }
const length = 12 * MiB
const numRuns = Number(process.env['SLUICE_PROPERTY_RUNS'] ?? 6)

const it = base.extend<{ host: Http2Server; rig: Rig }>({
  host: async ({}, use) => {
    const host = await Http2Server.start({ length, etag: '"v"' })
    await use(host)
    await host.close()
  },
  rig: async ({}, use) => {
    const rig = await Rig.create({ ...trusting, chance: () => 0 })
    await use(rig)
    await rig.close()
  },
})

describe('a host that speaks only HTTP/2', () => {
  it.for([1, 8])(
    'C048 gives its file whole over %d ranges of one session',
    async (connections, { host, rig }) => {
      expect(summary(await rig.fetch(host.url(), {}, { limits: { connections } }))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
      expect(host.sessions).toBe(1)
      expect(rig.engine.slabs.usedBytes).toBe(0)
    },
  )

  it('C048 gets the same fields as any other, and its own are read byte by byte', async ({ host, rig }) => {
    host.resource = {
      length: 1000,
      headers: { 'content-disposition': Buffer.from('attachment; filename="é.bin"').toString('latin1') },
    }
    const source = {
      url: host.url(),
      headers: [
        ['X-Given', 'ä'],
        ['Cookie', 'a=1'],
      ] as [string, string][],
      facts: null,
    }
    const run = rig.start(rig.order('', { source }))
    expect(summary(await run.outcome)).toBe('completed')
    expect(run.facts[0]?.suggestedName).toBe('é.bin')
    const seen = host.log[0] ?? {}
    expect(Buffer.from(String(seen['x-given']), 'latin1').toString('utf8')).toBe('ä')
    expect(seen).toMatchObject({ 'accept-encoding': 'identity', range: 'bytes=0-', cookie: 'a=1' })
  })

  it('C048 may break off streams and go away: the rest is fetched', async ({ host, rig }) => {
    host.resource = {
      length,
      etag: '"v"',
      faults: (number) =>
        [
          { after: 3_000_000, how: 'reset' as const },
          { after: 2_000_000, how: 'go-away' as const },
          { after: 100_000, how: 'stall' as const },
          { after: 100_000, how: 'end' as const },
        ][number],
    }
    expect(summary(await rig.fetch(host.url(), {}, { limits: { connections: 2 } }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C048 pauses and goes on from there', async ({ host, rig }) => {
    const run = rig.start(rig.order(host.url()), { limits: { bytesPerSecond: 8 * MiB } })
    await run.until(({ checkpoints }) => checkpoints.length > 2)
    run.stop()
    const checkpoint = checkpointOf(await run.outcome)
    const before = host.log.length
    expect(summary(await rig.fetch(host.url(), {}, { checkpoint }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    const asked = host.log.slice(before).map(({ range }) => {
      const [, start = '0'] = /^bytes=(\d+)-/.exec(range ?? '') ?? []
      return { range: { start: Number(start), end: null } }
    })
    expect(askedAgain(checkpoint, asked)).toEqual([])
  })

  it('of unknown length ends where its stream ends, and a length that is not kept is an error', async ({
    host,
    rig,
  }) => {
    host.resource = { length: 300_000, headers: { 'content-length': null } }
    expect(summary(await rig.fetch(host.url()))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(300_000))
    host.resource = { length: 300_000, faults: () => ({ after: 200_000, how: 'end' }) }
    const short = await rig.fetch(host.url(), { publishTo: rig.path('b') }, { limits: { retryBudget: 0 } })
    expect(short.kind).toBe('paused')
  })

  it(
    'whatever its streams do, it ends in the bytes of the source',
    { timeout: 600_000 },
    async ({ host, rig }) => {
      const fault = fc.record({
        after: fc.nat(700_000),
        how: fc.constantFrom('reset' as const, 'go-away' as const, 'end' as const, 'stall' as const),
      })
      const scenario = fc.record({
        bytes: fc.integer({ min: 0, max: 5_000_000 }),
        faults: fc.array(fc.option(fault, { nil: undefined }), { maxLength: 8 }),
        pauses: fc.array(fc.nat(1_000_000), { maxLength: 3 }),
        connections: fc.integer({ min: 1, max: 8 }),
      })
      let run = 0
      await fc.assert(
        fc.asyncProperty(scenario, async ({ bytes, faults, pauses, connections }) => {
          run += 1
          const before = host.log.length
          host.resource = {
            length: bytes,
            seed: run,
            etag: '"v"',
            faults: (number) => faults[number - before],
          }
          const changes = { workingFolder: rig.path(`.w${run}`), publishTo: rig.path(`out${run}`) }
          const said = await untilComplete(rig, {
            start: (checkpoint) =>
              rig.start(rig.order(host.url(), changes), {
                checkpoint,
                limits: { connections, retryBudget: 2 },
              }),
            pauses,
            arrived: (run, most) => run.until(({ progress }) => (progress.at(-1)?.doneBytes ?? 0) >= most),
          })
          expect(said).toBe('completed')
          expect(await rig.sha256(`out${run}`)).toBe(sourceHash(bytes, run))
        }),
        { numRuns },
      )
    },
  )

  it('is reached through a proxy like any other, and its certificate is checked', async ({ host, rig }) => {
    const proxy = await TestProxy.http()
    expect(summary(await rig.fetch(host.url(), { proxy: proxy.address }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(proxy.seen.length).toBeGreaterThan(0)
    const doubting = await Rig.create()
    expect(summary(await doubting.fetch(host.url()))).toBe('failed NETWORK_ERROR')
    await doubting.close()
    await proxy.close()
  })

  it('C048 and closes whatever begins without it is asked for it', async ({ host, rig }) => {
    const closing = createTlsServer(testCertificates.server('local'), (socket) => socket.destroy())
    closing.listen(0, '127.0.0.1')
    await once(closing, 'listening')
    const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
    const front = createServer((socket) => {
      socket.on('error', () => null)
      socket.once('data', (hello: Buffer) => {
        const target = connectTcp(hello.includes('http/1.1') ? portOf(closing) : host.port, '127.0.0.1')
        target.on('error', () => socket.destroy())
        target.write(hello)
        socket.pipe(target).pipe(socket)
      })
    })
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    expect(summary(await rig.fetch(`https://localhost:${portOf(front)}/f`))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    rig.restartEngine()
    front.close()
    closing.close()
  })

  it('and one that speaks neither gets words for it', async ({ rig }) => {
    const server = createTlsServer({ ...testCertificates.server('local'), ALPNProtocols: ['spdy/3'] })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const outcome = await rig.fetch(`https://localhost:${port}/f`)
    expect(summary(outcome)).toBe('failed UNSUPPORTED')
    expect(JSON.stringify(outcome)).toContain('neither')
    server.close()
  })
})
