/** What a user grants one task: cookies, sign-in, certificates, leaving https. B26, B29, B30, C050. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import type { Cookie } from '../../src/shared/task/access.ts'
import {
  digestAuthorization,
  digestChallenge,
  parseChallenges,
} from '../../src/worker/transfer/digest-auth.ts'
import { FaultServer, testCertificates } from '../fault-server/fault-server.ts'
import type { SeenRequest } from '../fault-server/fault-server.ts'
import { TestProxy } from '../fault-server/proxies.ts'
import { MiB, it } from './engine-test.ts'
import { Rig, quickTimings, sourceHash, summary } from './harness.ts'

const cookie = (changes: Partial<Cookie>): Cookie => ({
  domain: 'site.example',
  includesSubdomains: true,
  path: '/',
  secure: false,
  name: 'id',
  value: 'canary',
  expiresAt: null,
  ...changes,
})

describe('given cookies', () => {
  it('B26 B30 go to their domain, path and security only, along redirects too', async ({ server }) => {
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      lookup: () => Promise.resolve(['127.0.0.1']),
    })
    const at = (host: string, path: string) => `http://${host}:${server.port}${path}`
    const access = {
      cookies: [
        cookie({}),
        cookie({ name: 'private', path: '/private' }),
        cookie({ name: 'secure', secure: true }),
        cookie({ name: 'old', expiresAt: 1000 }),
        cookie({ name: 'exact', includesSubdomains: false }),
        cookie({ name: 'set', value: 'given' }),
        cookie({ name: 'utf', value: 'ä' }),
      ],
    }
    server.redirect('/a', at('dl.site.example', '/b'), 302, [['Set-Cookie', 'set=by-host; Path=/']])
    server.redirect('/b', at('notsite.example', '/c'))
    server.redirect('/c', at('site.example', '/private/f'))
    server.serve('/private/f', { body: 'x' })
    expect(summary(await rig.fetch(at('site.example', '/a'), { access }))).toBe('completed')
    const utf = Buffer.from('ä').toString('latin1')
    expect(server.log.map(({ headers }) => headers['cookie'])).toEqual([
      `id=canary; exact=canary; set=given; utf=${utf}`,
      `id=canary; set=given; utf=${utf}`,
      undefined,
      `id=canary; private=canary; exact=canary; utf=${utf}; set=by-host`,
    ])
    await rig.close()
  })
})

describe('sign-in by digest', () => {
  const user = { user: 'anna', password: 'pä:ss' }
  const length = 4 * MiB

  /** Serves `/f` to those who answer its challenge; `nonceFor` says which nonce a request may use. */
  function protect(
    server: FaultServer,
    challengeFor: (number: number) => string,
    accepts: (nonce: string, number: number) => boolean,
  ): void {
    server.serve('/f', {
      length,
      etag: '"v"',
      faults: (request, number) => {
        const given = parseChallenges([request.headers['authorization'] ?? ''])[0]
        const nonce = given?.parameters.get('nonce') ?? ''
        if (given?.scheme === 'digest' && accepts(nonce, number) && isRight(request, given.parameters)) {
          return undefined
        }
        return { status: 401, end: 0, headers: [['WWW-Authenticate', challengeFor(number)]] }
      },
    })
  }

  function isRight(request: SeenRequest, given: ReadonlyMap<string, string>): boolean {
    const field = (name: string) => given.get(name) ?? ''
    const challenge = digestChallenge([{ scheme: 'digest', parameters: given }])
    if (challenge === null) return false
    const expected = digestAuthorization({ ...challenge, userhash: false }, user, {
      method: 'GET',
      target: request.target,
      count: Number.parseInt(field('nc') || '1', 16),
      clientNonce: field('cnonce'),
    })
    return expected.includes(`response="${field('response')}"`)
  }

  const signedIn = (server: FaultServer) =>
    server.url('/f').replace('http://', `http://${user.user}:${encodeURIComponent(user.password)}@`)

  it.for(['MD5', 'SHA-256'])(
    'answers a host that asks for %s, on every connection',
    async (name, { server, rig }) => {
      protect(
        server,
        () => `Basic realm="x", Digest realm="r", nonce="n", algorithm=${name}, qop="auth,auth-int"`,
        (nonce) => nonce === 'n',
      )
      expect(summary(await rig.fetch(signedIn(server)))).toBe('completed')
      expect(await rig.sha256()).toBe(sourceHash(length))
      expect(server.log.filter(({ status }) => status === 401).length).toBe(1)
    },
  )

  it('once for a plain file: the answer that the look-up left is used, and so is its nonce', async ({
    server,
    rig,
  }) => {
    protect(
      server,
      () => `Digest realm="r", nonce="n", qop="auth"`,
      (nonce) => nonce === 'n',
    )
    const token = Buffer.from(`${user.user}:${user.password}`).toString('base64')
    const headers: [string, string][] = [['Authorization', `Basic ${token}`]]
    const access = { cookies: [cookie({ domain: '127.0.0.1' })] }
    const link = { kind: 'single' as const, url: server.url('/f') }
    expect(summary(await rig.startResolve({ link, headers, access }).outcome)).toBe('completed')
    const source = { url: link.url, headers, facts: null }
    expect(summary(await rig.fetch('', { source, access }, { limits: { connections: 2 } }))).toBe('completed')
    expect(server.log.filter(({ status }) => status === 401).length).toBe(1)
    expect(server.log.filter(({ range }) => range?.start === 0 && range.end === null).length).toBe(2)
  })

  it('takes name and password from a basic header too, and answers a nonce that grew old', async ({
    server,
    rig,
  }) => {
    protect(
      server,
      (number) => `Digest realm="r", nonce="n${number}", qop="auth"${number > 0 ? ', stale=true' : ''}`,
      (nonce) => nonce === 'n1',
    )
    const token = Buffer.from(`${user.user}:${user.password}`).toString('base64')
    const source = {
      url: server.url('/f'),
      headers: [['Authorization', `Basic ${token}`]] as [string, string][],
      facts: null,
    }
    expect(summary(await rig.fetch('', { source }, { limits: { connections: 1 } }))).toBe('completed')
    expect(server.log.map(({ status }) => status)).toEqual([401, 401, 206])
  })

  it('stops at a wrong password after one answer, and sends none elsewhere', async ({ server, rig }) => {
    protect(
      server,
      (number) => `Digest realm="r", nonce="n${number}", qop="auth"`,
      () => false,
    )
    expect(summary(await rig.fetch(signedIn(server)))).toBe('failed AUTH_FAILED')
    expect(server.log.length).toBe(2)
    const other = await FaultServer.start({ host: '127.0.0.2' })
    other.serve('/g', {
      body: '',
      faults: () => ({ status: 401, headers: [['WWW-Authenticate', 'Digest realm="r", nonce="n"']] }),
    })
    server.redirect('/r', `http://127.0.0.2:${other.port}/g`)
    await rig.fetch(signedIn(server).replace('/f', '/r'), { publishTo: rig.path('b') })
    expect(other.log.map(({ headers }) => headers['authorization'])).toEqual([undefined])
    await other.close()
  })

  it.for([
    ['Negotiate', 'not supported'],
    ['Digest realm="r", nonce="n", qop="auth-int"', 'not supported'],
    ['Bearer realm="r"', 'Authorization: Bearer'],
    ['Basic realm="r"', 'user name and password'],
  ] as const)('names the next step where a host asks for %s', async ([challenge, words], { server, rig }) => {
    server.serve('/f', {
      body: '',
      faults: () => ({ status: 401, headers: [['WWW-Authenticate', challenge]] }),
    })
    const outcome = await rig.fetch(server.url('/f'))
    expect(summary(outcome)).toBe('failed AUTH_FAILED')
    expect(JSON.stringify(outcome)).toContain(words)
  })

  it('a token goes as the header it was given as', async ({ server, rig }) => {
    server.serve('/f', { body: 'x' })
    const source = {
      url: server.url('/f'),
      headers: [['Authorization', 'Bearer abc']] as [string, string][],
      facts: null,
    }
    expect(summary(await rig.fetch('', { source }))).toBe('completed')
    expect(server.log[0]?.headers['authorization']).toBe('Bearer abc')
  })
})

describe('certificates', () => {
  it.for(['expired', 'wrong-host', 'self-signed'] as const)(
    'B29 one that is %s is taken from a host that the user named, and from no other',
    async (tls, { rig }) => {
      const server = await FaultServer.start({ tls })
      server.serve('/f', { body: 'x' })
      const named = { access: { uncheckedHosts: ['LocalHost'] } }
      expect(summary(await rig.fetch(server.url('/f'), named))).toBe('completed')
      // The connection that was kept is none for a task that grants nothing.
      expect(summary(await rig.fetch(server.url('/f'), { publishTo: rig.path('b') }))).toBe(
        'failed NETWORK_ERROR',
      )
      const other = { publishTo: rig.path('c'), access: { uncheckedHosts: ['127.0.0.1', 'other.example'] } }
      expect(summary(await rig.fetch(server.url('/f'), other))).toBe('failed NETWORK_ERROR')
      expect(server.log.length).toBe(1)
      await server.close()
    },
  )

  it('B29 of an authority in NODE_EXTRA_CA_CERTS are trusted', async ({ rig }) => {
    const server = await FaultServer.start({ tls: 'local' })
    server.serve('/f', { body: 'x' })
    const script = `
      import { createEngine } from './src/worker/transfer/engine.ts'
      import { SourceOpener } from './src/worker/transfer/source-opener.ts'
      for (const certificates of [[], [process.env.OTHER]]) {
        const engine = createEngine({ environment: {}, certificates })
        const source = { url: ${JSON.stringify(server.url('/f'))}, headers: [], facts: null }
        const opened = await new SourceOpener(engine, source, null).openLink(null, null, new AbortController().signal)
        console.log(opened.status)
        engine.close()
      }
      process.exit(0)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: testCertificates.authorityPath(),
        OTHER: testCertificates.server('self-signed').cert,
      },
    })
    let output = ''
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
    await once(child, 'close')
    expect(output).toBe('200\n200\n')
    expect(await rig.entries()).toEqual([])
    await server.close()
  })
})

describe('the authorities of the system', () => {
  it('B29 are read when a host needs them, once, by however many connections, and vouch for nobody else', async () => {
    let reads = 0
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      systemCertificates: () => {
        reads++
        return [testCertificates.authority()]
      },
    })
    const server = await FaultServer.start({ tls: 'local' })
    const expired = await FaultServer.start({ tls: 'expired' })
    const selfSigned = await FaultServer.start({ tls: 'self-signed' })
    for (const each of [server, expired, selfSigned]) each.serve('/f', { body: 'x' })
    // no authority makes it valid again
    expect(summary(await rig.fetch(expired.url('/f')))).toBe('failed NETWORK_ERROR')
    expect(reads).toBe(0)
    const names = ['a', 'b', 'c', 'd']
    const ends = await Promise.all(
      names.map((name) =>
        rig.fetch(server.url('/f'), { publishTo: rig.path(name), workingFolder: rig.path(`.${name}`) }),
      ),
    )
    expect(ends.map(summary)).toEqual(names.map(() => 'completed'))
    expect(summary(await rig.fetch(selfSigned.url('/f'), { publishTo: rig.path('e') }))).toBe(
      'failed NETWORK_ERROR',
    )
    expect(reads).toBe(1)
    await rig.close()
    await Promise.all([server, expired, selfSigned].map((each) => each.close()))
  })

  it('B29 are not read for a host that an authority is known for', async () => {
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      certificates: [testCertificates.authority()],
      systemCertificates: () => {
        throw new Error('read')
      },
    })
    const server = await FaultServer.start({ tls: 'local' })
    server.serve('/f', { body: 'x' })
    expect(summary(await rig.fetch(server.url('/f')))).toBe('completed')
    await rig.close()
    await server.close()
  })
})

describe('a file of authorities', () => {
  it('B29 is trusted while it is set, read again when it changed, and named when it cannot be used', async ({
    rig,
  }) => {
    const server = await FaultServer.start({ tls: 'local' })
    server.serve('/f', { body: 'x' })
    const certificateFile = rig.path('own.pem')
    const network = { certificateFile, ownPort: null }
    const fetch = (name: string, changes = {}) =>
      rig.fetch(server.url('/f'), { publishTo: rig.path(name), ...changes })
    const missing = await fetch('a', { network })
    expect(summary(missing)).toBe('failed NETWORK_ERROR')
    expect(JSON.stringify(missing)).toContain('own.pem could not be used')
    await writeFile(certificateFile, '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n')
    expect(JSON.stringify(await fetch('b', { network }))).toContain('could not be used')
    await writeFile(certificateFile, `# ours\n${testCertificates.authority()}`)
    expect(summary(await fetch('c', { network }))).toBe('completed')
    expect(summary(await fetch('d'))).toBe('failed NETWORK_ERROR')
    await server.close()
  })
})

describe('leaving https', () => {
  it('B25 is done for a task that may', async ({ server }) => {
    const secure = await FaultServer.start({ tls: 'local' })
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      certificates: [testCertificates.authority()],
    })
    server.serve('/f', { body: 'x' })
    secure.redirect('/f', server.url('/f'))
    expect(summary(await rig.fetch(secure.url('/f'), { access: { mayLeaveHttps: true } }))).toBe('completed')
    await rig.close()
    await secure.close()
  })
})

describe('a proxy behind TLS', () => {
  it('C051 carries plain files and tunnels, and its certificate is checked', async ({ server }) => {
    const proxy = await TestProxy.http({ tls: true })
    const rig = await Rig.create({
      timings: quickTimings,
      environment: {},
      certificates: [testCertificates.authority()],
    })
    const secure = await FaultServer.start({ tls: 'local' })
    const length = 3 * MiB
    const through = { proxy: `https://${proxy.address.replace('127.0.0.1', 'localhost')}` }
    for (const [name, host] of [
      ['plain', server],
      ['tunnelled', secure],
    ] as const) {
      host.serve('/f', { length, etag: '"v"' })
      const publishTo = rig.path(name)
      expect(summary(await rig.fetch(host.url('/f'), { ...through, publishTo }))).toBe('completed')
      expect(await rig.sha256(name)).toBe(sourceHash(length))
    }
    expect(proxy.seen.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(['GET', 'CONNECT']))
    const doubting = await Rig.create()
    expect(summary(await doubting.fetch(server.url('/f'), through))).toBe('failed NETWORK_ERROR')
    await doubting.close()
    await rig.close()
    await secure.close()
    await proxy.close()
  })
})
