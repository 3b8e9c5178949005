/** Statuses, redirects, headers, names of hosts, TLS, proxies. Cases of `http` (C..), B24–B29, F01–F04, F14–F20. */
import { gzipSync } from 'node:zlib'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect } from 'vitest'
import { FaultServer, seededBytes, testCertificates } from '../fault-server/fault-server.ts'
import { TestProxy } from '../fault-server/proxies.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, askedAgain, checkpointOf, quickTimings, sourceHash, summary } from './harness.ts'

/** A listener that never accepts and whose queue is full: the kernel drops further connections in silence. */
async function blackHole(): Promise<{ port: number; close: () => void }> {
  const code = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, String(s.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(printed.toString())
  const fillers: Socket[] = []
  for (;;) {
    const filler = connect(port, '127.0.0.1')
    filler.on('error', () => null)
    fillers.push(filler)
    const connected = await Promise.race([
      once(filler, 'connect'),
      new Promise((resolve) => setTimeout(resolve, 150)),
    ])
    if (connected === undefined) break
  }
  return {
    port,
    close: () => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}

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
      server.serve('/f', { length: 4 * MiB, etag: '"v"', bytesPerSecond: 8 * MiB })
      const run = rig.start(rig.order(server.url('/f')))
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

describe('addresses and ports', () => {
  const publicLoopback = (address: string) => (address === '127.0.0.2' ? 'public' : 'private')

  it.for([
    'http://127.0.0.1:P/f',
    'http://[::1]:P/f',
    'http://0.0.0.0:P/f',
    'http://2130706433:P/f',
    'http://[::ffff:127.0.0.1]:P/f',
    'http://inner.example:P/f',
  ])('B27 a public host cannot lead to %s', async (location, { server }) => {
    const outside = await FaultServer.start({ host: '127.0.0.2' })
    outside.redirect('/f', location.replace('P', String(server.port)))
    server.serve('/f', { body: 'secret' })
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      classify: publicLoopback,
      lookup: (host) => Promise.resolve(host === 'outside.example' ? ['127.0.0.2'] : ['127.0.0.1']),
    })
    const outcome = await rig.fetch(outside.url('/f', 'outside.example'))
    expect(summary(outcome)).toBe('failed FORBIDDEN')
    expect(server.connections).toBe(0)
    await rig.close()
    await outside.close()
  })

  it('B27 a name that turns private at the second lookup is refused then', async ({ server }) => {
    const outside = await FaultServer.start({ host: '127.0.0.2', port: 0 })
    outside.redirect('/f', outside.url('/g', 'flips.example'))
    outside.serve('/g', { length: 10 })
    let lookups = 0
    const rig = await Rig.create({
      timings: { ...quickTimings, keepAliveMs: 0 },
      environment: {},
      classify: publicLoopback,
      lookup: () => Promise.resolve(lookups++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']),
    })
    expect(summary(await rig.fetch(outside.url('/f', 'flips.example')))).toBe('failed FORBIDDEN')
    expect(server.connections).toBe(0)
    await rig.close()
    await outside.close()
  })

  it('a private link that the user typed may lead to private ones', async ({ server, rig }) => {
    server.redirect('/f', server.url('/g', 'localhost'))
    server.serve('/g', { length: 10 })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
  })

  it.for([22, 25, 6379])('B28 port %d is refused without a connection', async (port, { rig }) => {
    expect(summary(await rig.fetch(`http://127.0.0.1:${port}/`))).toBe('failed FORBIDDEN')
  })

  it('B28 our own port is refused', async ({ server }) => {
    const rig = await Rig.create({ timings: quickTimings, environment: {}, blockedPorts: [server.port] })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('failed FORBIDDEN')
    expect(server.connections).toBe(0)
    await rig.close()
  })
})

describe('reaching a host', () => {
  it('F01 a refused connection is tried again, then pauses', async ({ rig }) => {
    const server = await FaultServer.start()
    const url = server.url('/f')
    await server.close()
    expect(summary(await rig.fetch(url, {}, { limits: { retryBudget: 1 } }))).toBe(
      'paused network NETWORK_ERROR',
    )
  })

  it.for([
    ['ENOTFOUND', 'failed HOST_NOT_FOUND'],
    ['EAI_AGAIN', 'paused network NETWORK_ERROR'],
  ] as const)('F02 %s is named', async ([code, expected]) => {
    const lookup = () => Promise.reject(Object.assign(new Error(code), { code }))
    const rig = await Rig.create({ timings: quickTimings, environment: {}, chance: () => 0, lookup })
    expect(summary(await rig.fetch('http://nowhere.example/f', {}, { limits: { retryBudget: 1 } }))).toBe(
      expected,
    )
    await rig.close()
  })

  it('F02 a lookup that never ends is given up', async () => {
    const lookup = () => new Promise<string[]>(() => {})
    const rig = await Rig.create({ timings: { ...quickTimings, connectMs: 200 }, environment: {}, lookup })
    expect(summary(await rig.fetch('http://nowhere.example/f', {}, oneTry))).toBe('paused network TIMEOUT')
    await rig.close()
  })

  it('F03 C049 a dead first address costs less than a second', async ({ server }) => {
    server.serve('/f', { length: 10 })
    const lookup = () => Promise.resolve(['::1', '127.0.0.3', '127.0.0.1'])
    const rig = await Rig.create({ timings: quickTimings, environment: {}, lookup })
    const startedAt = performance.now()
    expect(summary(await rig.fetch(server.url('/f', 'two.example')))).toBe('completed')
    expect(performance.now() - startedAt).toBeLessThan(1000)
    await rig.close()
  })

  it('C049 a host that accepts after 400 ms is reached', async ({ server }) => {
    server.serve('/f', { length: 10 })
    server.onConnection = () => 400
    const lookup = () => Promise.resolve(['127.0.0.1', '::1'])
    const rig = await Rig.create({ timings: quickTimings, environment: {}, lookup })
    expect(summary(await rig.fetch(server.url('/f', 'late.example')))).toBe('completed')
    await rig.close()
  })

  it('C049 a literal IPv6 address is reached', async ({ rig }) => {
    const server = await FaultServer.start({ host: '::1' })
    server.serve('/f', { length: 10 })
    expect(summary(await rig.fetch(server.url('/f', '[::1]')))).toBe('completed')
    await server.close()
  })

  it('F04 a host that drops every packet is given up after the connect limit', async () => {
    const hole = await blackHole()
    const rig = await Rig.create({ timings: { ...quickTimings, connectMs: 300 }, environment: {} })
    expect(summary(await rig.fetch(`http://127.0.0.1:${hole.port}/f`, {}, oneTry))).toBe(
      'paused network TIMEOUT',
    )
    await rig.close()
    hole.close()
  })

  it('F12 a host that is gone for a while costs the rest only', async ({ server, rig }) => {
    server.serve('/f', { length: 8 * MiB, etag: '"v"', bytesPerSecond: 6 * MiB })
    const run = rig.start(rig.order(server.url('/f')))
    await server.until(() => server.bodyBytesSent('/f') > 2 * MiB)
    const { port } = server
    await server.close()
    await run.until(({ progress }) => progress.at(-1)?.activity === 'waiting')
    const back = await FaultServer.start({ port })
    back.serve('/f', { length: 8 * MiB, etag: '"v"' })
    expect(summary(await run.outcome)).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(8 * MiB))
    expect(back.bodyBytesSent('/f')).toBeLessThan(6.5 * MiB)
    await back.close()
  })

  it('F08 a host that accepts and says nothing is given up', async ({ server, rig }) => {
    server.onConnection = () => 'mute'
    expect(summary(await rig.fetch(server.url('/f'), {}, oneTry))).toBe('paused network TIMEOUT')
  })
})

describe('TLS', () => {
  const trusting = { timings: quickTimings, environment: {}, certificates: [testCertificates.authority()] }

  it('fetches over several connections and resumes sessions', async () => {
    const server = await FaultServer.start({ tls: 'local' })
    const rig = await Rig.create(trusting)
    const length = 12 * MiB
    server.serve('/f', { length, etag: '"v"', bytesPerSecond: 6 * MiB })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    expect(server.mostConnections).toBeGreaterThan(1)
    await rig.close()
    await server.close()
  })

  it.for(['expired', 'wrong-host', 'self-signed'] as const)(
    'B29 a certificate that is %s is refused',
    async (tls) => {
      const server = await FaultServer.start({ tls })
      const rig = await Rig.create(trusting)
      server.serve('/f', { length: 10 })
      const outcome = await rig.fetch(server.url('/f'))
      expect(summary(outcome)).toBe('failed NETWORK_ERROR')
      expect(JSON.stringify(outcome)).toContain('certificate')
      expect(server.log.length).toBe(0)
      await rig.close()
      await server.close()
    },
  )

  it('B29 the test authority is not trusted unless it was given', async ({ rig }) => {
    const server = await FaultServer.start({ tls: 'local' })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('failed NETWORK_ERROR')
    await server.close()
  })

  it('F15 a certificate that turns bad between ranges stops and keeps what arrived', async () => {
    const rig = await Rig.create(trusting)
    const good = await FaultServer.start({ tls: 'local' })
    const length = 4 * MiB
    good.serve('/f', { length, etag: '"v"', bytesPerSecond: 8 * MiB })
    const run = rig.start(rig.order(good.url('/f')))
    await run.until(({ checkpoints }) => checkpoints.length > 0)
    const { port } = good
    await good.close()
    const bad = await FaultServer.start({ tls: 'expired', port })
    bad.serve('/f', { length, etag: '"v"' })
    const outcome = await run.outcome
    expect(summary(outcome)).toBe('paused source NETWORK_ERROR')
    expect(checkpointOf(outcome)).not.toBeNull()
    expect(bad.log.length).toBe(0)
    await bad.close()
    await rig.close()
  })

  it('F15 a connection cut in mid-record is broken, not whole', async () => {
    const server = await FaultServer.start({ tls: 'local' })
    const rig = await Rig.create(trusting)
    server.serve('/f', {
      length: 2 * MiB,
      etag: '"v"',
      faults: [{ breakAfter: { bytes: 300_000, how: 'reset' } }],
    })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(2 * MiB))
    await rig.close()
    await server.close()
  })
})

describe('proxies', () => {
  const length = 4 * MiB

  it.for(['http', 'socks5'] as const)(
    'C051 a plain file goes through a proxy of kind %s, all of it',
    async (kind, { server, rig }) => {
      const proxy = await TestProxy[kind]({
        credentials: { user: 'u', password: 'pä:ß' },
        routes: { 'h.example': server.port },
      })
      server.serve('/f', { length, etag: '"v"', bytesPerSecond: 4 * MiB })
      const address = `${kind}://u:p%C3%A4%3A%C3%9F@${proxy.address}`
      expect(summary(await rig.fetch('http://h.example/f', { proxy: address }))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
      expect(proxy.seen.length).toBeGreaterThan(0)
      await proxy.close()
    },
  )

  it.for(['http', 'socks5'] as const)(
    'https goes through a tunnel of kind %s without a byte hanging',
    async (kind) => {
      const server = await FaultServer.start({ tls: 'local' })
      const proxy = await TestProxy[kind]()
      const rig = await Rig.create({
        timings: quickTimings,
        environment: {},
        certificates: [testCertificates.authority()],
      })
      server.serve('/f', { length, etag: '"v"' })
      server.serve('/odd', { length: 70_001, seed: 3, ranges: 'ignore' })
      const through = { proxy: `${kind}://${proxy.address}` }
      expect(summary(await rig.fetch(server.url('/f'), through))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
      expect(summary(await rig.fetch(server.url('/odd'), { ...through, publishTo: rig.path('odd') }))).toBe(
        'completed',
      )
      expect(await rig.sha256('odd')).toBe(sourceHash(70_001, 3))
      expect(proxy.seen[0]).toContain(`localhost:${server.port}`)
      await rig.close()
      await proxy.close()
      await server.close()
    },
  )

  it.for(['http', 'socks5'] as const)(
    'C051 F14 a proxy of kind %s that wants another password is named, never bypassed',
    async (kind, { server, rig }) => {
      const proxy = await TestProxy[kind]({ credentials: { user: 'u', password: 'p' } })
      server.serve('/f', { length: 10 })
      const outcome = await rig.fetch(server.url('/f'), { proxy: `${kind}://u:wrong@${proxy.address}` })
      expect(summary(outcome)).toBe('failed AUTH_FAILED')
      expect(JSON.stringify(outcome)).toContain('proxy')
      expect(server.connections).toBe(0)
      await proxy.close()
    },
  )

  it('F14 a proxy that refuses or is gone is tried again, never bypassed', async ({ server, rig }) => {
    const proxy = await TestProxy.http({ refuseWith: 502 })
    server.serve('/f', { length: 10 })
    const through = { proxy: `http://${proxy.address}` }
    expect(summary(await rig.fetch(server.url('/f'), through, oneTry))).toBe('paused network HTTP_ERROR')
    await proxy.close()
    expect(summary(await rig.fetch(server.url('/f'), through, oneTry))).toBe('paused network NETWORK_ERROR')
    expect(server.connections).toBe(0)
  })

  it('C051 F14 a proxy that dies in mid-transfer costs the rest only', async ({ server, rig }) => {
    const proxy = await TestProxy.http({ cutAfter: MiB })
    server.serve('/f', { length, etag: '"v"' })
    expect(summary(await rig.fetch(server.url('/f'), { proxy: proxy.address }))).toBe('completed')
    expect(await rig.sha256()).toBe(sourceHash(length))
    await proxy.close()
  })

  it('C051 the environment’s proxy serves other hosts, loopback goes directly', async ({ server }) => {
    const proxy = await TestProxy.http({ routes: { 'h.example': server.port } })
    const rig = await Rig.create({ timings: quickTimings, environment: { HTTP_PROXY: proxy.address } })
    server.serve('/f', { length: 10 })
    expect(summary(await rig.fetch('http://h.example/f'))).toBe('completed')
    expect(proxy.seen).toEqual(['GET http://h.example/f'])
    expect(summary(await rig.fetch(server.url('/f'), { publishTo: rig.path('b') }))).toBe('completed')
    expect(proxy.seen.length).toBe(1)
    await rig.close()
    await proxy.close()
  })
})
