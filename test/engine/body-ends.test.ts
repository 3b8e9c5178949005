/** Bodies that never end, end early, stall or drip. Cases of `http` (C..), B22, B23, F06–F11, F27, F28. */
import { describe, expect } from 'vitest'
import { seededBytes } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import { sourceHash, summary } from './harness.ts'

describe('bytes that never end or end early', () => {
  it('F27 a body past its length is cut there', async ({ server, rig }) => {
    server.serve('/f', {
      length: MiB,
      faults: () => ({ trailingBytes: seededBytes(9, 0, 2 * MiB), keepAlive: true }),
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(MiB))
  })

  it('B22 bytes past the length end the connection, so that they begin no next answer', async ({
    server,
    rig,
  }) => {
    server.serve('/f', {
      length: 1000,
      faults: () => ({ trailingBytes: Buffer.from('HTTP/1.1 200 OK\r\n\r\nx') }),
    })
    await rig.fetch(server.url('/f'))
    await rig.fetch(server.url('/f'), { publishTo: rig.path('second') })
    expect(await rig.sha256('second')).toBe(sourceHash(1000))
    expect(server.connections).toBe(2)
  })

  it('C035 F07 a body that is shorter than announced is never whole', async ({ server, rig }) => {
    server.serve('/f', {
      length: MiB,
      etag: '"v"',
      faults: (_, number) => ({ breakAfter: { bytes: number === 0 ? 1000 : 0, how: 'fin' } }),
    })
    const outcome = await rig.fetch(server.url('/f'), {}, { limits: { retryBudget: 1 } })
    expect(summary(outcome)).toBe('paused network NETWORK_ERROR')
  })

  it('C035 a chunked body without its last chunk is never whole', async ({ server, rig }) => {
    server.serve('/f', {
      length: MiB,
      ranges: 'ignore',
      framing: 'chunked',
      faults: () => ({ breakAfter: { bytes: 300_000, how: 'fin' } }),
    })
    const outcome = await rig.fetch(server.url('/f'), {}, { limits: { retryBudget: 1 } })
    expect(summary(outcome)).toBe('paused network NETWORK_ERROR')
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it('C035 B23 a body that only its end delimits is whole, and its length stays unannounced', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 300_000, ranges: 'ignore', framing: 'close' })
    const run = rig.start(rig.order(server.url('/f')))
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(300_000))
    expect(run.facts[0]?.resource?.length).toBeNull()
  })

  it('C052 F06 retries after resets at any byte never repeat one', async ({ server, rig }) => {
    for (let seed = 1; seed <= 5; seed++) {
      const path = `/f${seed}`
      server.serve(path, {
        length: 200_000,
        seed,
        etag: '"v"',
        faults: Array.from({ length: 4 }, (_, i) => ({
          breakAfter: {
            bytes: ((seed * 7919 * (i + 1)) % 40_000) + 1,
            how: i % 2 === 0 ? ('fin' as const) : ('reset' as const),
          },
        })),
      })
      expect(summary(await rig.fetch(server.url(path), { publishTo: rig.path(`out${seed}`) }))).toBe(
        'completed',
      )
      expect(await rig.sha256(`out${seed}`)).toBe(sourceHash(200_000, seed))
    }
  })

  it('C033 resets in the middle of two ranges leave no hole', async ({ server, rig }) => {
    const length = 16 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 6 * MiB,
      faults: (_, number) =>
        number > 0 && number < 7 ? { breakAfter: { bytes: 300_000, how: 'reset' } } : undefined,
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C055 C064 F08 a stall is left after a while, and what arrived is kept', async ({ server, rig }) => {
    const length = 24 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      faults: [{ breakAfter: { bytes: 8 * MiB, how: 'stall' } }],
    })
    expect(summary(await rig.fetch(server.url('/f'), {}, { limits: { connections: 1 } }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(server.bodyBytesSent('/f')).toBeLessThan(length * 1.1)
    expect(server.openConnections).toBeLessThanOrEqual(1)
  })

  it('F09 what one connection crawls through, the others take over', async ({ server, rig }) => {
    const length = 12 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 4 * MiB,
      faults: (_, number) => (number === 1 ? { bytesPerSecond: 10_000 } : undefined),
    })
    const startedAt = performance.now()
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(performance.now() - startedAt).toBeLessThan(8_000)
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('F11 answers in pieces of one byte, late, are read right', async ({ server, rig }) => {
    server.serve('/f', { length: 3000, delayMs: 200, faults: () => ({ writeSize: 1, framing: 'chunked' }) })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(3000))
  })

  it('F28 a head that drips is given up', async ({ server, rig }) => {
    server.raw('/f', async (_, socket) => {
      for (let i = 0; i < 100 && !socket.destroyed; i++) {
        socket.write('H')
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      return undefined
    })
    const outcome = await rig.fetch(server.url('/f'), {}, { limits: { retryBudget: 0 } })
    expect(summary(outcome)).toBe('paused network TIMEOUT')
  })
})
