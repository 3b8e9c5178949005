/** What hosts do to ranges: ignore, refuse, bend, lie. Cases of `http` (C..) and B16–B21, F23–F24. */
import { describe, expect } from 'vitest'
import { MiB, it } from './engine-test.ts'
import { checkpointOf, sourceHash, summary } from './harness.ts'

describe('ranges that a host ignores', () => {
  it('C022 B17 an answer with the whole in place of the rest begins the file anew, with that very body', async ({
    server,
    rig,
  }) => {
    const length = 10 * MiB
    server.serve('/f', {
      length,
      ranges: 'ignore',
      faults: [{ breakAfter: { bytes: 4 * MiB, how: 'reset' } }],
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(server.log.length).toBe(2)
  })

  it('C022 is not claimed to be resumable by its checkpoints', async ({ server, rig }) => {
    server.serve('/f', { length: 4 * MiB, ranges: 'ignore', bytesPerSecond: 4 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    await server.until(() => server.bodyBytesSent('/f') > MiB)
    run.stop()
    const checkpoint = checkpointOf(await run.outcome)
    expect(checkpoint).toMatchObject({ ranges: [], fronts: [] })
    expect(run.facts[0]).toMatchObject({ preemptible: false, resource: { acceptsRanges: false } })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(4 * MiB))
  })

  it('F23 ranges honoured only sometimes are never mixed up', async ({ server, rig }) => {
    const length = 12 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 6 * MiB,
      faults: (request, number) =>
        number % 2 === 1 && request.range !== null
          ? { status: 200, start: 0, end: length, headers: [['ETag', '"v"']] }
          : undefined,
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C061 pause and resume ten times over answers of both kinds end in the source, never beyond it', async ({
    server,
    rig,
  }) => {
    const length = 3 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 8 * MiB,
      faults: (request, number) =>
        number % 2 === 1 && request.range !== null
          ? { status: 200, start: 0, end: length, headers: [['ETag', '"v"']] }
          : undefined,
    })
    let checkpoint = null
    for (let cycle = 0; cycle < 10; cycle++) {
      const before = server.bodyBytesSent('/f')
      const run = rig.start(rig.order(server.url('/f')), { checkpoint })
      await Promise.race([server.until(() => server.bodyBytesSent('/f') > before + 200_000), run.outcome])
      run.stop()
      const outcome = await run.outcome
      for (const { fraction, doneBytes } of run.progress) {
        expect(fraction).toBeLessThanOrEqual(1)
        expect(doneBytes).toBeLessThanOrEqual(length)
      }
      if (outcome.kind === 'completed') break
      checkpoint = checkpointOf(outcome)
      rig.restartEngine()
    }
    const last = await rig.fetch(server.url('/f'), {}, { checkpoint })
    expect(summary(last)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('ranges that a host refuses', () => {
  it('C026 wide ranges are refused and narrow ones answered: it asks for narrow ones', async ({
    server,
    rig,
  }) => {
    const length = 5 * MiB + 17
    server.serve('/f', {
      length,
      etag: '"v"',
      faults: (request) => {
        const wide = request.range === null || (request.range.end ?? length) - request.range.start > MiB
        return wide ? { status: 403, start: 0, end: 20 } : undefined
      },
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  for (const [name, contentRange] of [
    ['*/N', `bytes */${2 * MiB}`],
    ['none', null],
  ] as const) {
    it(`C031 everything on disk needs no request, and 416 with ${name} would be completion`, async ({
      server,
      rig,
    }) => {
      const length = 2 * MiB
      server.serve('/f', { length, etag: '"v"' })
      const run = rig.start(rig.order(server.url('/f')), {
        publish: () => Promise.resolve({ kind: 'refused' }),
      })
      const paused = await run.outcome
      expect(summary(paused)).toBe('paused')
      const whole = checkpointOf(paused)
      // Of unknown length, so that a request has to be made.
      const checkpoint = whole?.kind === 'ranges' ? { ...whole, length: null } : null
      server.serve('/f', {
        length,
        faults: () => ({
          status: 416,
          headers: contentRange === null ? [] : [['Content-Range', contentRange]],
          start: 0,
          end: 206,
        }),
      })
      const outcome = await rig.fetch(server.url('/f'), {}, { checkpoint })
      expect(summary(outcome)).toBe(contentRange === null ? 'paused review REMOTE_CHANGED' : 'completed')
      if (contentRange !== null) expect(await rig.sha256()).toBe(sourceHash(length))
      const before = server.log.length
      if (contentRange === null) {
        expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint: whole }))).toBe('completed')
        expect(server.log.length).toBe(before)
      }
    })
  }

  it('C031 B20 416 with a smaller total is a changed file', async ({ server, rig }) => {
    server.serve('/f', { length: 2 * MiB, etag: '"v"', bytesPerSecond: 4 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    await run.until(({ checkpoints }) => checkpoints.length > 0)
    run.stop()
    const checkpoint = checkpointOf(await run.outcome)
    server.serve('/f', { length: 10, etag: '"w"' })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe(
      'paused review REMOTE_CHANGED',
    )
  })

  it('C054 an empty file is whole at once, whichever way the host says so', async ({ server, rig }) => {
    server.serve('/plain', { body: '', ranges: 'ignore' })
    server.serve('/range', { body: '' })
    for (const path of ['/plain', '/range']) {
      const run = rig.start(rig.order(server.url(path), { publishTo: rig.path(`out${path.slice(1)}`) }))
      expect(summary(await run.outcome)).toBe('completed')
      expect(await rig.sha256(`out${path.slice(1)}`)).toBe(sourceHash(0))
      for (const progress of run.progress) expect(Number.isFinite(progress.fraction)).toBe(true)
    }
  })

  it('C054 of unknown length it tells bytes and no size', async ({ server, rig }) => {
    server.serve('/f', { length: MiB, ranges: 'ignore', framing: 'chunked', bytesPerSecond: 4 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(MiB))
    expect(
      run.progress.some(({ size, doneBytes, fraction }) => size === null && doneBytes > 0 && fraction === 0),
    ).toBe(true)
  })
})

describe('ranges that a host bends', () => {
  for (const value of [
    'bytes=0-2097151/2097152',
    'bytes 0-2097151/*',
    '0-2097151/2097152',
    'bytes 0 2097151',
  ]) {
    it(`C027 "${value}" ends in the right bytes`, async ({ server, rig }) => {
      const length = 2 * MiB
      server.serve('/f', {
        length,
        faults: (request) =>
          request.range === null ? undefined : { status: 206, headers: [['Content-Range', value]] },
      })
      expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
    })
  }

  it('C028 another total than before is another file; asked to, it begins again and ends in one version', async ({
    server,
    rig,
  }) => {
    server.serve('/f', { length: 4 * MiB, etag: '"v"', bytesPerSecond: 8 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    await run.until(({ checkpoints }) => checkpoints.length > 0)
    run.stop()
    const checkpoint = checkpointOf(await run.outcome)
    server.serve('/f', { length: 4 * MiB + 49, seed: 2, etag: '"v"' })
    expect(summary(await rig.fetch(server.url('/f'), {}, { checkpoint }))).toBe(
      'paused review REMOTE_CHANGED',
    )
    const changes = { changedResourcePolicy: 'restart' } as const
    expect(summary(await rig.fetch(server.url('/f'), changes, { checkpoint }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(4 * MiB + 49, 2))
  })

  for (const [what, bend] of [
    ['start', (start: number, end: number) => `bytes ${start - 1}-${end - 1}/${8 * MiB}`],
    ['unit', (start: number, end: number) => `items ${start}-${end - 1}/${8 * MiB}`],
    ['total', (start: number, end: number) => `bytes ${start}-${end - 1}/${8 * MiB + 5}`],
  ] as const) {
    it(`B16 F24 a wrong ${what} on a further range never puts a byte in the wrong place`, async ({
      server,
      rig,
    }) => {
      const length = 8 * MiB
      server.serve('/f', {
        length,
        etag: '"v"',
        bytesPerSecond: 4 * MiB,
        faults: (request, number) =>
          number > 0 && number < 4 && request.range !== null
            ? {
                headers: [
                  ['Content-Range', bend(request.range.start, request.range.end ?? length)],
                  ['ETag', '"v"'],
                ],
              }
            : undefined,
      })
      const outcome = await rig.fetch(server.url('/f'))
      expect(summary(outcome)).toBe(what === 'total' ? 'paused review REMOTE_CHANGED' : 'completed')
      if (outcome.kind === 'completed') expect(await rig.sha256()).toBe(sourceHash(length))
    })
  }

  it('F24 fewer bytes than asked for are continued, more are cut off', async ({ server, rig }) => {
    const length = 6 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      faults: (request, number) => {
        if (request.range === null) return undefined
        const { start } = request.range
        const end = number % 2 === 0 ? Math.min(length, start + MiB) : length
        return {
          start,
          end,
          headers: [
            ['Content-Range', `bytes ${start}-${end - 1}/${length}`],
            ['ETag', '"v"'],
          ],
        }
      },
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('parts without a validator', () => {
  it('B19 each further one proves itself by an overlap', async ({ server, rig }) => {
    const length = 3 * MiB
    server.serve('/f', {
      length,
      faults: (request) => {
        const start = request.range?.start ?? 0
        const end = Math.min(length, start + MiB)
        return { start, end, headers: [['Content-Range', `bytes ${start}-${end - 1}/${length}`]] }
      },
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(server.log.map((request) => request.range?.start)).toEqual([
      0,
      MiB - 65_536,
      2 * MiB - 131_072,
      3 * MiB - 196_608,
    ])
  })

  it('of a whole of unknown length are asked for until nothing more comes', async ({ server, rig }) => {
    const length = 2 * MiB + 5
    for (const etag of ['"v"', null]) {
      server.serve('/f', {
        length,
        ...(etag === null ? {} : { etag }),
        faults: (request) => {
          const start = request.range?.start ?? 0
          const end = Math.min(length, start + MiB)
          const tag = etag === null ? [] : [['ETag', etag] as const]
          return start >= length
            ? undefined
            : { start, end, headers: [['Content-Range', `bytes ${start}-${end - 1}/*`], ...tag] }
        },
      })
      const publishTo = rig.path(`out${etag ?? ''}`)
      expect(summary(await rig.fetch(server.url('/f'), { publishTo }))).toBe('completed')
      expect(await rig.sha256(`out${etag ?? ''}`)).toBe(sourceHash(length))
    }
  })

  it('that never lead on are not followed for ever', async ({ server, rig }) => {
    server.serve('/f', {
      length: MiB,
      faults: (request) => {
        const start = request.range?.start ?? 0
        const end = Math.min(MiB, start === 0 ? 70_000 : start + 1000)
        return { start, end, headers: [['Content-Range', `bytes ${start}-${end - 1}/${MiB}`]] }
      },
    })
    expect(summary(await rig.fetch(server.url('/f'), {}, { limits: { retryBudget: 1 } }))).toBe(
      'paused network HTTP_ERROR',
    )
  })
})
