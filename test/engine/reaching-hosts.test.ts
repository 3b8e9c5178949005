/** Reaching hosts: addresses, names, ports, TLS, proxies. Cases C049, C051, B27–B29, F01–F04, F08, F12, F14, F15. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect } from 'vitest'
import { FaultServer, testCertificates } from '../fault-server/fault-server.ts'
import { TestProxy } from '../fault-server/proxies.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, checkpointOf, quickTimings, sourceHash, summary } from './harness.ts'

/** A listener that never accepts and whose queue is full: Linux drops further connections in silence. */
async function blackHole(): Promise<{ port: number; close: () => void }> {
  const code = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('fs').writeSync(1, String(s.address().port)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(printed.toString())
  // as many as it was told, and one more
  const fillers = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
  await Promise.all(fillers.map((filler) => once(filler, 'connect')))
  return {
    port,
    close: () => {
      for (const filler of fillers) filler.destroy()
      child.kill('SIGKILL')
    },
  }
}

const oneTry = { limits: { retryBudget: 0 } }

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

  it('B28 our own port is refused on this machine, by any name, also behind a proxy', async ({
    server,
    rig,
  }) => {
    const network = { certificateFile: '', ownPort: server.port }
    const proxy = await TestProxy.http()
    for (const host of ['127.0.0.1', 'localhost', '127.0.0.9', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      for (const through of [null, proxy.address]) {
        const url = `http://${host}:${server.port}/f`
        expect(summary(await rig.fetch(url, { network, proxy: through }))).toBe('failed FORBIDDEN')
      }
    }
    expect(server.connections).toBe(0)
    expect(proxy.seen).toEqual([])
    server.serve('/f', { body: 'x' })
    expect(summary(await rig.fetch(server.url('/f'), { network: { certificateFile: '', ownPort: 1 } }))).toBe(
      'completed',
    )
    await proxy.close()
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
    good.serve('/f', { length, etag: '"v"', bytesPerSecond: MiB })
    const run = rig.start(rig.order(good.url('/f')), { limits: { connections: 1 } })
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
