/** What hosts answer, and what they are asked: statuses, redirects, headers. Cases of `http` (C..), B24–B26, F17–F20, F29. */
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { FaultServer, seededBytes, testCertificates } from '../fault-server/fault-server.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, askedAgain, checkpointOf, quickTimings, sourceHash, summary } from './harness.ts'

const oneTry = { limits: { retryBudget: 0 } }

describe('error statuses', () => {
  it('C032 bodies of errors are never written, whichever connection gets them', async ({ server, rig }) => {
    const length = 12 * MiB
    const page = Buffer.from(`<html>${'x'.repeat(200)}</html>`)
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 6 * MiB,
      faults: (_, number) =>
        number === 2 || number === 3
          ? {
              status: 503,
              headers: [],
              body: { length: page.length, read: (a, b) => page.subarray(a, b) },
              start: 0,
              end: page.length,
            }
          : undefined,
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C039 F18 a host that bears two connections is given two, and the task goes on', async ({
    server,
    rig,
  }) => {
    const length = 16 * MiB
    server.serve('/f', {
      length,
      etag: '"v"',
      bytesPerSecond: 4 * MiB,
      faults: () =>
        server.openConnections > 2 ? { status: 503, start: 0, end: 10, keepAlive: false } : undefined,
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    const refused = server.log.filter((request) => request.status === 503).length
    await rig.fetch(server.url('/f'), { publishTo: rig.path('second') })
    expect(server.log.filter((request) => request.status === 503).length).toBe(refused)
  })

  it('F18 is remembered with as many connections as it accepted, however many were asked for at once', async ({
    server,
    rig,
  }) => {
    const bears = 6
    server.serve('/f', {
      length: 256 * MiB,
      etag: '"v"',
      bytesPerSecond: MiB,
      faults: () => {
        // this request is among those that are open
        if (server.log.filter(({ outcome }) => outcome === 'open').length <= bears) return undefined
        return { status: 429, start: 0, end: 10, keepAlive: false }
      },
    })
    const run = rig.start(rig.order(server.url('/f')), { limits: { connections: 16 } })
    // those that are refused count themselves out one by one
    const { origin } = new URL(server.url('/f'))
    await run.until(() => rig.engine.hostLimits.of(origin) === bears)
    run.stop('discard')
    await run.outcome
  })

  it('C039 third connections that are reset cost nothing', async ({ server, rig }) => {
    const length = 12 * MiB
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
    server.onConnection = (_, open) => (open > 2 ? 'reset' : 'serve')
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })

  it('C040 F17 waits as long as the host asks, in seconds or as a date, and says that it waits', async ({
    server,
    rig,
  }) => {
    const date = new Date(Math.floor(Date.now() / 1000) * 1000)
    const until = new Date(date.getTime() + 1000)
    server.serve('/f', {
      length: 1000,
      faults: [
        { status: 429, headers: [['Retry-After', '1']], start: 0, end: 5 },
        {
          status: 503,
          headers: [
            ['Retry-After', until.toUTCString()],
            ['Date', date.toUTCString()],
          ],
          start: 0,
          end: 5,
        },
      ],
    })
    const run = rig.start(rig.order(server.url('/f')))
    expect(summary(await run.outcome)).toBe('completed')
    const times = server.log.map((request) => request.at)
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990)
    expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(990)
    expect(run.progress.some(({ activity }) => activity === 'waiting')).toBe(true)
  })

  it('C040 F17 a long wait leaves the slot, clamped to an hour', async ({ server, rig }) => {
    server.statuses('/f', [429], { body: 'x' }, [['Retry-After', '999999']])
    expect(await rig.fetch(server.url('/f'))).toMatchObject({
      kind: 'paused',
      cause: { kind: 'network', retryAfterMs: 3_600_000, failures: 1 },
    })
  })

  it.for([500, 502, 503, 504, 408, 425, 429])('F17 %d is tried again', async (status, { server, rig }) => {
    server.statuses('/f', [status], { length: 1000 })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(server.log.length).toBe(2)
  })

  it.for([
    [401, 'AUTH_FAILED'],
    [403, 'AUTH_FAILED'],
    [404, 'NOT_FOUND'],
    [410, 'NOT_FOUND'],
    [400, 'HTTP_ERROR'],
    [451, 'HTTP_ERROR'],
    [204, 'HTTP_ERROR'],
    [304, 'HTTP_ERROR'],
  ] as const)('%d with nothing fetched fails as %s', async ([status, code], { server, rig }) => {
    server.serve('/f', { body: '', ranges: 'ignore', faults: () => ({ status }) })
    expect(summary(await rig.fetch(server.url('/f')))).toBe(`failed ${code}`)
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it.for([401, 403, 404, 410])(
    'F19 F20 C063 %d after bytes had arrived keeps them and waits for a fresh link',
    async (status, { server, rig }) => {
      // Slow, over one connection: what lies in buffers must not be all that is missing.
      server.serve('/f', { length: 4 * MiB, etag: '"v"', bytesPerSecond: MiB })
      const run = rig.start(rig.order(server.url('/f')), { limits: { connections: 1 } })
      await run.until(({ checkpoints }) => checkpoints.length > 0)
      server.serve('/f', { body: '', faults: () => ({ status }) })
      server.dropConnections()
      const outcome = await run.outcome
      expect(summary(outcome)).toBe('paused source LINK_EXPIRED')
      server.serve('/fresh', { length: 4 * MiB, etag: '"v"' })
      const checkpoint = checkpointOf(outcome)
      expect(summary(await rig.fetch(server.url('/fresh'), {}, { checkpoint }))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(4 * MiB))
      expect(askedAgain(checkpoint, server.requests('/fresh'))).toEqual([])
    },
  )

  it('C063 a signed link that expires is taken afresh from the stable one', async ({ server, rig }) => {
    const length = 6 * MiB
    let generation = 0
    const serveSigned = () => {
      generation += 1
      server.redirect('/get', `/signed-${generation}`)
      server.serve(`/signed-${generation}`, { length, etag: '"v"', bytesPerSecond: 6 * MiB })
      server.serve(`/signed-${generation - 1}`, { body: '', faults: () => ({ status: 403 }) })
    }
    serveSigned()
    const run = rig.start(rig.order(server.url('/get')), { limits: { connections: 2 } })
    for (let i = 1; i <= 2; i++) {
      await server.until(() => server.bodyBytesSent(`/signed-${i}`) > 500_000)
      serveSigned()
      server.dropConnections()
    }
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
  })
})

describe('requests', () => {
  it('C036 C043 every one asks for identity with the same headers, after redirects too, and none tells what runs here', async ({
    server,
    rig,
  }) => {
    const length = 12 * MiB
    server.redirect('/start', '/f')
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
    const source = {
      url: server.url('/start'),
      headers: [['Referer', 'http://r.example/']] as [string, string][],
      facts: null,
    }
    expect(summary(await rig.fetch('', { source }))).toBe('completed')
    expect(server.log.length).toBeGreaterThan(3)
    for (const request of server.log) {
      expect(request.headers['accept-encoding']).toBe('identity')
      expect(request.headers['referer']).toBe('http://r.example/')
      expect(request.headers['user-agent']).toBe(server.log[0]?.headers['user-agent'])
      expect(JSON.stringify(request.headerLines)).not.toMatch(/node|undici|electron|aria2/i)
    }
  })

  it('C041 C042 HEAD is never asked', async ({ server, rig }) => {
    server.serve('/f', {
      length: 1000,
      faults: (request) => (request.method === 'HEAD' ? { status: 405, start: 0, end: 0 } : undefined),
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(server.log.map((request) => request.method)).toEqual(['GET'])
  })

  it('C034 a length beside chunked is refused by name, never written', async ({ server, rig }) => {
    server.raw('/f', async (_, socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
      )
      return Promise.resolve(undefined)
    })
    const outcome = await rig.fetch(server.url('/f'), {}, oneTry)
    expect(outcome).toMatchObject({ kind: 'paused', cause: { error: { code: 'HTTP_ERROR' } } })
    expect(JSON.stringify(outcome)).toContain('Content-Length together with Transfer-Encoding')
    expect(await rig.entries()).not.toContain('out.bin')
  })

  it('C037 C038 B24 what comes encoded all the same is kept as sent, over one connection, without a length', async ({
    server,
    rig,
  }) => {
    const packed = gzipSync(seededBytes(1, 0, 200_000))
    server.serve('/f.tar.gz', { body: packed, ranges: 'ignore', headers: [['Content-Encoding', 'gzip']] })
    const run = rig.start(rig.order(server.url('/f.tar.gz')))
    expect(summary(await run.outcome)).toBe('completed')
    expect((await rig.sha256()).length).toBe(64)
    expect(run.facts[0]?.resource).toMatchObject({ length: null, acceptsRanges: false })
    for (const { fraction } of run.progress) expect(fraction).toBeLessThanOrEqual(1)
    expect(server.log.length).toBe(1)
  })

  it('C050 credentials in a link are decoded, sent to its origin, and nowhere else', async ({
    server,
    rig,
  }) => {
    const other = await FaultServer.start()
    other.serve('/f', { length: 1000 })
    server.redirect('/f.bin', other.url('/f', 'localhost'))
    const url = server.url('/f.bin').replace('http://', 'http://user%40corp:p%3A%23ss%25w%C3%B6rd@')
    const run = rig.start(rig.order(url))
    expect(summary(await run.outcome)).toBe('completed')
    const sent = server.log[0]?.headers['authorization']?.replace('Basic ', '') ?? ''
    expect(Buffer.from(sent, 'base64').toString('utf8')).toBe('user@corp:p:#ss%wörd')
    expect(other.log[0]?.headers['authorization']).toBeUndefined()
    expect(JSON.stringify([run.facts, run.checkpoints])).not.toContain('ss%25w')
    await other.close()
  })

  it('F29 a kept connection that the host closes as it is used again costs one quiet retry', async ({
    server,
    rig,
  }) => {
    server.serve('/a', { length: 1000 })
    let killed = 0
    server.raw('/b', (request, socket) => {
      if (killed++ === 0) {
        expect(request.connection).toBe(1)
        socket.destroy()
        return undefined
      }
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      return Promise.resolve('keep' as const)
    })
    await rig.fetch(server.url('/a'))
    const run = rig.start(rig.order(server.url('/b'), { publishTo: rig.path('b') }), oneTry)
    expect(summary(await run.outcome)).toBe('completed')
    expect(run.progress.some(({ activity }) => activity === 'waiting')).toBe(false)
    expect(server.connections).toBe(2)
  })

  it('keeps connections for the next file', async ({ server, rig }) => {
    server.serve('/a', { length: 1000 })
    for (let i = 0; i < 5; i++) await rig.fetch(server.url('/a'), { publishTo: rig.path(`f${i}`) })
    expect(server.connections).toBe(1)
  })

  it('interim answers are no answers', async ({ server, rig }) => {
    server.raw('/f', async (_, socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nContent-Disposition: attachment; filename=evil\r\n\r\n')
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      return Promise.resolve('keep' as const)
    })
    const run = rig.start(rig.order(server.url('/f')))
    expect(summary(await run.outcome)).toBe('completed')
    expect(run.facts[0]?.suggestedName).toBe('f')
  })
})

describe('redirects', () => {
  it('C046 a redirect to itself with a cookie is followed with the cookie', async ({ server, rig }) => {
    server.serve('/f', {
      length: 1000,
      faults: (request) =>
        request.headers['cookie'] === 'ok=1'
          ? undefined
          : {
              status: 302,
              headers: [
                ['Location', '/f'],
                ['Set-Cookie', 'ok=1; Path=/'],
              ],
              start: 0,
              end: 0,
            },
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(server.log.length).toBe(2)
  })

  it('C046 B25 a circle ends soon with words for it', async ({ server, rig }) => {
    server.redirect('/f', '/f')
    const outcome = await rig.fetch(server.url('/f'))
    expect(summary(outcome)).toBe('failed HTTP_ERROR')
    expect(JSON.stringify(outcome)).toContain('circle')
    expect(server.log.length).toBeLessThan(25)
  })

  it('C047 locations are taken byte by byte and relative to the present link', async ({ server, rig }) => {
    const other = await FaultServer.start()
    other.serve('/x', { length: 500 })
    for (const [from, location, path] of [
      ['/r/1', Buffer.from('/café', 'utf8'), '/caf%C3%A9'],
      ['/r/2', Buffer.from('/synspr\xf8ve', 'latin1'), '/synspr%F8ve'],
      ['/r/3', '/a b.zip', '/a%20b.zip'],
      ['/r/4', '../x.zip', '/x.zip'],
    ] as const) {
      server.redirect(from, location)
      server.serve(path, { length: 500 })
      expect(summary(await rig.fetch(server.url(from), { publishTo: rig.path(from.slice(3)) }))).toBe(
        'completed',
      )
      expect(server.requests(path).length).toBe(1)
    }
    server.redirect('/r/5', `//localhost:${other.port}/x`)
    expect(summary(await rig.fetch(server.url('/r/5'), { publishTo: rig.path('5') }))).toBe('completed')
    await other.close()
  })

  it.for(['file:///etc/passwd', 'ftp://h/f', 'data:text/plain,x', 'javascript:alert(1)'])(
    'B25 %s is not followed',
    async (location, { server, rig }) => {
      server.redirect('/f', location)
      expect(summary(await rig.fetch(server.url('/f')))).toBe('failed UNSUPPORTED')
    },
  )

  it('B26 headers and cookies of the user stay with the origin they were given for', async ({
    server,
    rig,
  }) => {
    const other = await FaultServer.start()
    other.serve('/f', { length: 8 * MiB, etag: '"v"', bytesPerSecond: 4 * MiB })
    server.redirect('/f', other.url('/f', 'localhost'))
    const source = {
      url: server.url('/f'),
      headers: [
        ['Cookie', 'canary=1'],
        ['Authorization', 'Bearer canary'],
        ['Referer', 'http://canary/'],
        ['X-Token', 'canary'],
      ] as [string, string][],
      facts: null,
    }
    expect(summary(await rig.fetch('', { source }))).toBe('completed')
    expect(JSON.stringify(server.log[0]?.headerLines)).toContain('canary')
    expect(other.log.length).toBeGreaterThan(1)
    for (const request of other.log) expect(JSON.stringify(request.headerLines)).not.toContain('canary')
    await other.close()
  })

  it('B25 https never leads down to http', async ({ server }) => {
    const secure = await FaultServer.start({ tls: 'local' })
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      certificates: [testCertificates.authority()],
    })
    server.serve('/f', { length: 10 })
    secure.redirect('/f', server.url('/f'))
    expect(summary(await rig.fetch(secure.url('/f')))).toBe('failed FORBIDDEN')
    expect(server.log.length).toBe(0)
    await rig.close()
    await secure.close()
  })
})
