/** Every status that the OpenAPI document declares for a route is one that the route gives, and in the envelope. */
import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bodyLimit } from '../../src/http/http-host.ts'
import type { RestRoute } from '../../src/http/rest/route.ts'
import { errorEnvelopeSchema } from '../../src/shared/contract/error-envelope.ts'
import { FaultServer } from '../fault-server/fault-server.ts'
import { routes, RestClient } from './rest-client.ts'
import { TestServer } from './running-server.ts'

/** What this test cannot bring about: the moment between the leave to publish and the name, and a link gone bad. */
const elsewhere = ['DELETE /api/download/jobs/{id} 409', 'POST /api/download/jobs/{id}/retry 422']

let server: TestServer
let source: FaultServer
let api: RestClient
const seen = new Set<string>()
beforeAll(async () => {
  server = await TestServer.start()
  source = await FaultServer.start()
  api = await RestClient.of(server)
})
afterAll(async () => {
  await server.end()
  await source.close()
})

interface Bent {
  method?: string
  headers?: Record<string, string>
  body?: string
  query?: string
  id?: string
  localAddress?: string
  /** length of a body that never comes: it is refused before */
  announced?: number
  /** says no secret, which is no guess */
  isStranger?: boolean
}

/** Asks a route in a way that is right but for what is given; the answer's status, its envelope checked. */
function ask(
  route: RestRoute,
  { method, headers, body, query = '', id = 'none', localAddress, announced, isStranger = false }: Bent,
): Promise<number> {
  const text = body ?? (route.body === undefined ? '' : '{}')
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: server.port, method: method ?? route.method, localAddress },
        path: route.path.replace('{id}', id) + query,
        headers: {
          ...(isStranger ? {} : { 'X-Secret-Key': server.server.secret }),
          ...(text === ''
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
          ...(announced === undefined ? {} : { 'Content-Length': announced }),
          ...headers,
        },
      },
      (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
        response.on('end', () => {
          const status = response.statusCode ?? 0
          if (status >= 400) errorEnvelopeSchema.parse(JSON.parse(answer))
          if (status === 429) expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
          seen.add(`${route.method} ${route.path} ${status}`)
          sent.destroy()
          resolve(status)
        })
      },
    )
    sent.on('error', reject)
    if (announced === undefined) sent.end(text)
    else sent.write('{')
  })
}

test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s: what every route refuses',
  async (_name, route) => {
    expect(await ask(route, { isStranger: true })).toBe(401)
    expect(await ask(route, { method: 'PUT' })).toBe(405)
    expect(await ask(route, { headers: { Host: 'evil.example' } })).toBe(421)
    expect(await ask(route, { query: '?nonsense=1' })).toBe(400)
    if (route.body !== undefined) {
      expect(await ask(route, { announced: bodyLimit + 1 })).toBe(413)
      expect(await ask(route, { headers: { 'Content-Type': 'text/plain' } })).toBe(415)
      expect(await ask(route, { body: '{"nonsense":1}' })).toBe(400)
    }
    if (route.errors.includes(404)) {
      expect(await ask(route, { body: route.body === undefined ? '' : '{"title":"x"}' })).toBe(404)
    }
  },
)

test('what does not fit the state, the rules or the link', async () => {
  const url = source.url('/never.bin')
  const post = async (target: string, body?: unknown) => (await api.post(target, body)).status
  const job = (id: string, deed = '') => `/api/download/jobs/${id}${deed}`
  expect(await post('/api/download', { url, folder: '/etc' })).toBe(403)
  expect(await post('/api/download', { url: 'ftp://a.test/x' })).toBe(422)
  source.serve('/file.bin', { length: 10 })
  const done = await api.accepted(api.post('/api/download', { url: source.url('/file.bin') }))
  await api.until(done, 'completed')
  expect(await post('/api/download', { url: source.url('/file.bin'), duplicates: 'ask' })).toBe(409)
  for (const deed of ['/pause', '/resume', '/priority']) expect(await post(job(done, deed))).toBe(409)
  expect((await api.patch(job(done), { title: 'x' })).status).toBe(409)
  expect((await api.patch(job(done), { folder: '/etc' })).status).toBe(403)
  expect((await api.patch(job(done), { selected: [] })).status).toBe(422)
  const live = await api.accepted(api.post('/api/download', { url, start_paused: true }))
  expect(await post(job(live, '/retry'))).toBe(409)
  expect((await api.delete(`/api/history/${live}`)).status).toBe(409)
  const again = await api.accepted(api.post(job(done, '/redownload')))
  await api.until(again, 'completed')
  expect(await post(job(done, '/redownload'))).toBe(409)
  expect(await post('/api/resolve', { url })).toBe(422)
  expect((await api.patch('/api/config', { ffmpegPath: '/bin/sh' })).status).toBe(403)
})

test('a job whose folder is outside the roots by now is not made again', async () => {
  source.serve('/early.bin', { length: 10 })
  const before = await TestServer.start()
  const client = await RestClient.of(before)
  const job = await client.accepted(client.post('/api/download', { url: source.url('/early.bin') }))
  await client.until(job, 'completed')
  await before.server.stop()
  const after = await TestServer.start({ base: before.base, downloadRoots: [`${before.base}/elsewhere`] })
  try {
    const moved = await RestClient.of(after)
    expect((await moved.post(`/api/download/jobs/${job}/retry`)).status).toBe(403)
    seen.add('POST /api/download/jobs/{id}/retry 403')
    const fresh = await moved.accepted(moved.post('/api/download', { url: source.url('/early.bin') }))
    await moved.until(fresh, 'completed')
  } finally {
    await after.end()
  }
})

test('an address that guesses is told to wait by every route', async () => {
  const localAddress = '127.0.0.3'
  const [first] = routes
  if (first === undefined) throw new Error('there are no routes')
  for (let guess = 0; guess < 10; guess++) {
    expect(await ask(first, { localAddress, headers: { 'X-Secret-Key': `guess ${guess}` } })).toBe(401)
  }
  for (const route of routes) expect(await ask(route, { localAddress })).toBe(429)
})

test('no declared status is left that was not seen here, or is named above', () => {
  const declared = Object.entries(api.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).flatMap(([method, operation]) =>
      Object.keys(operation?.responses ?? {}).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )
  const errors = declared.filter((each) => Number(each.slice(-3)) >= 400)
  expect(errors.filter((each) => !seen.has(each) && !api.seen.has(each))).toEqual(elsewhere)
})
