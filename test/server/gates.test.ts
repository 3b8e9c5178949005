/** The gates on a running server: each answers before the later ones, and none of what they refuse changes anything. */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorEnvelopeSchema } from '../../src/shared/contract/error-envelope.ts'
import { hostileRequests } from './hostile-requests.ts'
import { rawRequest, requestText, TestServer } from './running-server.ts'

let running: TestServer
beforeAll(async () => {
  running = await TestServer.start()
  const source = 'http://127.0.0.1:9/never.bin'
  await running.call('tasks.add', { links: [source], options: { startPaused: true } })
})
afterAll(() => running.end())

describe('hostile requests', () => {
  test.each(hostileRequests)('$id: $title', async ({ build, statuses }) => {
    const before = await running.state()
    const answer = await rawRequest(running.port, build(running.port, running.server.secret))
    expect(statuses).toContain(answer.status)
    if (answer.body !== '' && answer.status !== 0) {
      expect(errorEnvelopeSchema.safeParse(JSON.parse(answer.body)).success).toBe(true)
    }
    expect(answer.head.toLowerCase()).not.toContain('access-control-')
    expect(answer.body).not.toContain(running.server.secret)
    // no stack, no path of this machine
    expect(answer.body).not.toMatch(/ {4}at |node_modules|\.ts:/)
    expect(await running.state()).toBe(before)
  })

  test('there are at least forty of them, and together they left no trace of the secret in the log', () => {
    expect(hostileRequests.length).toBeGreaterThanOrEqual(40)
    expect(running.log.join('')).not.toContain(running.server.secret)
  })
})

test('each gate answers before those behind it look', async () => {
  // the worst request of all, made better one gate at a time
  const tooLarge = 'x'.repeat(1024 * 1024 + 1)
  const steps = [
    { better: {}, status: 405 },
    { better: { method: 'POST', target: `/${'a'.repeat(9000)}` }, status: 414 },
    { better: { target: '/rpc/settings.set' }, status: 421 },
    { better: { headers: { Host: `127.0.0.1:${running.port}` } }, status: 403 },
    { better: { headers: { Origin: null, 'Sec-Fetch-Site': 'cross-site' } }, status: 403 },
    { better: { headers: { 'Sec-Fetch-Site': null } }, status: 401 },
    { better: { headers: { 'X-Secret-Key': running.server.secret } }, status: 415 },
    { better: { headers: { 'Content-Type': 'application/json' } }, status: 413 },
    { better: { body: '{"maxConcurrentTasks":0}', headers: { 'Content-Length': '24' } }, status: 400 },
    { better: { body: '{"maxConcurrentTasks":4}' }, status: 200 },
  ] as const
  let asked: Parameters<typeof requestText>[1] & { headers: Record<string, string | null> } = {
    method: 'PUT',
    target: '/rpc/settings.set',
    headers: {
      Host: 'evil.example',
      Origin: 'https://evil.example',
      'X-Secret-Key': 'wrong',
      'Content-Type': 'text/plain',
      'Content-Length': String(tooLarge.length),
    },
    body: tooLarge,
  }
  for (const { better, status } of steps) {
    asked = {
      ...asked,
      ...better,
      headers: { ...asked.headers, ...('headers' in better ? better.headers : {}) },
    }
    const { status: answered } = await rawRequest(running.port, requestText(running.port, asked))
    expect(answered).toBe(status)
  }
})

test('wrong secrets: same answer as none; after ten in a minute 429, and a right one from another address still counts', async () => {
  const guessed = await TestServer.start()
  try {
    const ask = (headers: Record<string, string>) =>
      rawRequest(guessed.port, requestText(guessed.port, { target: '/api/config', headers }))
    const withoutTime = (body: string) => body.replace(/"timestamp":"[^"]*"/, '')
    const none = await ask({})
    const answers = []
    for (let guess = 0; guess < 1000; guess++) answers.push(await ask({ 'X-Secret-Key': `guess ${guess}` }))
    expect(answers.slice(0, 10).every((answer) => answer.status === 401)).toBe(true)
    expect(withoutTime(answers[0]?.body ?? '')).toBe(withoutTime(none.body))
    expect(answers.slice(10).every((answer) => answer.status === 429)).toBe(true)
    expect(Number(/retry-after: (\d+)/i.exec(answers[999]?.head ?? '')?.[1])).toBeGreaterThan(0)
    expect((await ask({ 'X-Secret-Key': guessed.server.secret })).status).toBe(429)

    // 127.0.0.2 is this machine too, under an address of its own
    const elsewhere = await statusFrom('127.0.0.2', guessed)
    expect(elsewhere).toBe(200)
  } finally {
    await guessed.end()
  }
}, 120_000)

test('only loopback listens, read back from the kernel', () => {
  const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) =>
    readFileSync(table, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${hexPort(running.port)}`))
      .map(([, local]) => local),
  )
  // 127.0.0.1, little-endian
  expect(listening).toEqual([`0100007F:${hexPort(running.port)}`])
})

function statusFrom(localAddress: string, { port, server }: TestServer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Secret-Key': server.secret }
    const sent = request(
      { host: '127.0.0.1', port, localAddress, path: '/api/config', headers },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
