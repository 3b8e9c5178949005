/** Speed, limits, pauses, progress, and what must never show: C081, C084, C121, C130, F10, B07. */
import { describe, expect } from 'vitest'
import { seededBytes } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import { checkpointOf, sourceHash, summary } from './harness.ts'

/** `SLUICE_TAIL_RUNS=1000` as in the report. */
const tailRuns = Number(process.env['SLUICE_TAIL_RUNS'] ?? 20)

describe('limits', () => {
  it(
    'F10 a speed limit is kept over all connections, and a change counts at once',
    { timeout: 30_000 },
    async ({ server, rig }) => {
      server.serve('/f', { length: 200 * MiB, etag: '"v"' })
      const limit = 4 * MiB
      const run = rig.start(rig.order(server.url('/f')), { limits: { bytesPerSecond: limit } })
      await run.until(({ progress }) => (progress.at(-1)?.doneBytes ?? 0) > 0)
      const measure = async (ms: number) => {
        const before = run.progress.at(-1)?.doneBytes ?? 0
        const startedAt = performance.now()
        await new Promise((resolve) => setTimeout(resolve, ms))
        return ((run.progress.at(-1)?.doneBytes ?? 0) - before) / ((performance.now() - startedAt) / 1000)
      }
      const speed = await measure(4000)
      expect(speed / limit).toBeGreaterThan(0.9)
      expect(speed / limit).toBeLessThan(1.1)
      run.setLimits({ bytesPerSecond: limit / 4 })
      await measure(500)
      expect((await measure(2000)) / (limit / 4)).toBeLessThan(1.2)
      run.stop()
      expect(summary(await run.outcome)).toBe('paused')
    },
  )

  it('no more connections are opened than were leased, and a lower lease is kept to', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 24 * MiB, etag: '"v"', bytesPerSecond: 4 * MiB })
    const run = rig.start(rig.order(server.url('/f')), { limits: { connections: 3 } })
    expect(summary(await run.outcome)).toBe('completed')
    expect(Math.max(...run.progress.map(({ ranges }) => ranges?.length ?? 0))).toBe(3)
    // The host may hear of a new connection just before the end of the one that it follows.
    expect(server.mostConnections).toBeLessThanOrEqual(4)
  })

  it('two steps of one attempt share what was leased to it', async ({ server, rig }) => {
    for (const path of ['/a', '/b'])
      server.serve(path, { length: 12 * MiB, etag: '"v"', bytesPerSecond: 3 * MiB })
    const outcomes = ['a', 'b'].map((name) =>
      rig.fetch(
        server.url(`/${name}`),
        { fileName: name, publishTo: rig.path(name) },
        { limits: { connections: 4 } },
      ),
    )
    expect((await Promise.all(outcomes)).map(summary)).toEqual(['completed', 'completed'])
    expect(server.mostConnections).toBeLessThanOrEqual(5)
  })
})

describe('pausing', () => {
  it('8 takes no byte any more within 200 ms and asks for none twice', async ({ server, rig }) => {
    const length = 64 * MiB
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 20 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    await server.until(() => server.bodyBytesSent('/f') > 8 * MiB)
    const stoppedAt = performance.now()
    run.stop()
    await server.until(() => server.openConnections === 0)
    expect(performance.now() - stoppedAt).toBeLessThan(200)
    const checkpoint = checkpointOf(await run.outcome)
    const last = run.progress.at(-1)
    const held = checkpoint?.kind === 'ranges' ? checkpoint.ranges.reduce((sum, [a, b]) => sum + b - a, 0) : 0
    expect(held).toBeGreaterThanOrEqual(last?.doneBytes ?? 0)
    const before = server.log.length
    const next = rig.start(rig.order(server.url('/f')), { checkpoint })
    await next.until(({ progress }) => (progress.at(-1)?.doneBytes ?? 0) > held)
    next.stop('discard')
    expect(await next.outcome).toEqual({ kind: 'paused', checkpoint: null, cause: null })
    const ranges = checkpoint?.kind === 'ranges' ? checkpoint.ranges : []
    for (const { range } of server.log.slice(before)) {
      expect(ranges.some(([start, end]) => range !== null && range.start >= start && range.start < end)).toBe(
        false,
      )
    }
  })

  it('while it connects, waits or was just told to start ends at once too', async ({ server, rig }) => {
    server.onConnection = () => 'mute'
    const connecting = rig.start(rig.order(server.url('/f')))
    await server.until(() => server.connections > 0)
    connecting.stop()
    expect(summary(await connecting.outcome)).toBe('paused')
    server.onConnection = () => 'serve'
    server.serve('/f', { body: 'x', faults: () => ({ status: 503, headers: [['Retry-After', '10']] }) })
    const waiting = rig.start(rig.order(server.url('/f')))
    await waiting.until(({ progress }) => progress.at(-1)?.activity === 'waiting')
    waiting.stop()
    expect(summary(await waiting.outcome)).toBe('paused')
    const before = server.log.length
    const stopped = rig.start(rig.order(server.url('/f')))
    stopped.stop()
    expect(summary(await stopped.outcome)).toBe('paused')
    expect(server.log.length).toBe(before)
  })
})

describe('the tail', () => {
  it(
    'C081 many short transfers over many connections all end soon',
    { timeout: 60_000 + tailRuns * 5_000 },
    async ({ server, rig }) => {
      for (let run = 0; run < tailRuns; run++) {
        server.serve('/f', {
          length: 3 * MiB,
          seed: run,
          etag: `"${run}"`,
          faults: (_, number) => ({
            delayMs: (run * 37 + number * 53) % 60,
            bytesPerSecond: ((number % 4) + 1) * 2 * MiB,
          }),
        })
        const startedAt = performance.now()
        const publishTo = rig.path(`out${run}`)
        expect(
          summary(await rig.fetch(server.url('/f'), { publishTo }, { limits: { connections: 16 } })),
        ).toBe('completed')
        expect(performance.now() - startedAt).toBeLessThan(5000)
        expect(await rig.sha256(`out${run}`)).toBe(sourceHash(3 * MiB, run))
      }
    },
  )

  it('C081 a tail that hangs is asked for again and the first to finish wins', async ({ server, rig }) => {
    const length = 8 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 4 * MiB,
      faults: (_, number) => (number === 1 ? { bytesPerSecond: 100_000 } : undefined),
    })
    const startedAt = performance.now()
    expect(summary(await rig.fetch(server.url('/f'), {}, { limits: { connections: 2 } }))).toBe('completed')
    expect(performance.now() - startedAt).toBeLessThan(5000)
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('progress', () => {
  it('C084 speed is that of the wire, also after a resume, and zero when nothing flows', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 8 * MiB, etag: '"v"', bytesPerSecond: 2 * MiB })
    const first = rig.start(rig.order(server.url('/f')), { limits: { connections: 1 } })
    await server.until(() => server.bodyBytesSent('/f') > 3 * MiB)
    first.stop()
    const checkpoint = checkpointOf(await first.outcome)
    const second = rig.start(rig.order(server.url('/f')), { checkpoint, limits: { connections: 1 } })
    await second.until(({ progress }) => progress.length > 40)
    second.stop()
    await second.outcome
    for (const { bytesPerSecond } of [...first.progress, ...second.progress]) {
      expect(bytesPerSecond).toBeGreaterThanOrEqual(0)
      expect(bytesPerSecond).toBeLessThan(2 * MiB * 3)
    }
  })

  it('C084 bytes that waited in buffers before the transfer read them make no false speed', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 8 * MiB, etag: '"v"', bytesPerSecond: 2 * MiB })
    const link = { kind: 'single' as const, url: server.url('/f') }
    expect(summary(await rig.startResolve({ link }).outcome)).toBe('completed')
    await server.until(() => server.bodyBytesSent('/f') > 2 * MiB)
    const run = rig.start(rig.order(server.url('/f')), { limits: { connections: 1 } })
    await run.until(({ progress }) => progress.length > 20)
    run.stop()
    await run.outcome
    expect(server.log.length).toBe(1)
    expect(Math.max(...run.progress.map(({ doneBytes }) => doneBytes))).toBeGreaterThan(2 * MiB)
    for (const { bytesPerSecond } of run.progress) expect(bytesPerSecond).toBeLessThan(2 * MiB * 1.5)
  })

  it('19 never goes back within an attempt and stays within its size', async ({ server, rig }) => {
    server.serve('/f', {
      length: 8 * MiB,
      etag: '"v"',
      bytesPerSecond: 6 * MiB,
      faults: (_, number) =>
        number % 3 === 2 ? { breakAfter: { bytes: 400_000, how: 'reset' } } : undefined,
    })
    const run = rig.start(rig.order(server.url('/f')))
    expect(summary(await run.outcome)).toBe('completed')
    let before = 0
    for (const { doneBytes, fraction } of run.progress) {
      expect(doneBytes).toBeGreaterThanOrEqual(before)
      expect(fraction).toBeLessThanOrEqual(1)
      before = doneBytes
    }
  })
})

describe('secrets and memory', () => {
  it('C130 23 no canary gets into facts, checkpoints, progress or errors', async ({ server, rig }) => {
    const source = {
      url: server.url('/f?sig=canary&token=canary').replace('http://', 'http://canary:canary@'),
      headers: [
        ['Authorization', 'Bearer canary'],
        ['Cookie', 'canary=canary'],
      ] as [string, string][],
      facts: null,
    }
    const seen: unknown[] = []
    for (const status of [200, 404, 503, 416]) {
      server.serve('/f', {
        length: 1000,
        faults: () => (status === 200 ? undefined : { status, headers: [] }),
      })
      const run = rig.start(rig.order('', { source, proxy: null }), { limits: { retryBudget: 0 } })
      const outcome = await run.outcome
      seen.push(outcome.kind === 'completed' ? null : outcome, run.progress)
    }
    await server.close()
    const refused = await rig.start(rig.order('', { source }), { limits: { retryBudget: 0 } }).outcome
    seen.push(refused.kind === 'paused' ? refused.cause : refused)
    const errors = JSON.stringify(seen, (key, value: unknown) => (key === 'finalUrl' ? undefined : value))
    expect(errors).not.toContain('canary')
  })

  it(
    'C121 many files leave no sockets, timers or slabs behind',
    { timeout: 60_000 },
    async ({ server, rig }) => {
      server.serve('/f', { length: 10_000 })
      for (let i = 0; i < 200; i++) await rig.fetch(server.url('/f'), { publishTo: rig.path(`f${i}`) })
      expect(server.connections).toBe(1)
      expect(rig.engine.slabs.usedBytes).toBe(0)
      expect(rig.engine.openLanes).toBe(0)
      expect(await rig.sha256('f199')).toBe(sourceHash(10_000))
    },
  )

  it('slabs come back after cuts, stops and refusals', async ({ server, rig }) => {
    server.serve('/f', {
      length: 8 * MiB,
      etag: '"v"',
      bytesPerSecond: 8 * MiB,
      faults: [{ breakAfter: { bytes: MiB, how: 'reset' } }],
    })
    const run = rig.start(rig.order(server.url('/f')))
    await server.until(() => server.bodyBytesSent('/f') > 2 * MiB)
    run.stop()
    await run.outcome
    expect(rig.engine.slabs.usedBytes).toBe(0)
    expect(rig.engine.openLanes).toBe(0)
  })

  it('B07 what a host writes into its name never reaches the report raw', async ({ server, rig }) => {
    server.serve('/f', {
      body: seededBytes(1, 0, 10),
      contentDisposition: Buffer.from('attachment; filename="a\x1b[31m\u202eb.txt"'),
    })
    const run = rig.start(rig.order(server.url('/f')))
    await run.outcome
    expect(run.facts[0]?.suggestedName).toBe('a[31mb.txt')
  })
})
