/** The contract over WebSockets on a running server: who gets in, what is answered, and what is thrown out. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateSecret } from '../../src/adapters/secret-file.ts'
import type { ServerMessage } from '../../src/shared/contract/socket-messages.ts'
import { frame, opcodes, RawWebSocket } from './raw-web-socket.ts'
import { TestServer } from './running-server.ts'

let running: TestServer
beforeAll(async () => {
  running = await TestServer.start()
})
afterAll(() => running.end())

const query = { filter: 'all', search: '', sort: 'created', order: 'asc', offset: 0, limit: 500 }

/** An honest client. */
class Client {
  readonly socket: WebSocket
  readonly messages: ServerMessage[] = []
  answers = 0
  #waiting: (() => void)[] = []

  constructor(port: number) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    this.socket.addEventListener('message', (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as ServerMessage
      this.messages.push(message)
      if (message.kind === 'answer') this.answers++
      for (const look of this.#waiting.splice(0)) look()
    })
  }

  static async in(port: number, secret: string): Promise<Client> {
    const client = new Client(port)
    await once(client.socket, 'open')
    client.say({ kind: 'hello', secret })
    await client.until((message) => message.kind === 'welcome')
    return client
  }

  say(message: unknown): void {
    this.socket.send(JSON.stringify(message))
  }

  async until<M extends ServerMessage>(fits: (message: ServerMessage) => message is M): Promise<M>
  async until(fits: (message: ServerMessage) => boolean): Promise<ServerMessage>
  async until(fits: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    for (;;) {
      const found = this.messages.find(fits)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  async answer(id: number): Promise<unknown> {
    const message = await this.until((each): each is ServerMessage & { kind: 'answer' } => {
      return each.kind === 'answer' && each.id === id
    })
    return message.answer
  }

  async closed(): Promise<number> {
    const [event] = (await once(this.socket, 'close')) as [CloseEvent]
    return event.code
  }
}

test('after the secret: calls are answered by their id, the watched list comes at once and again when it changes', async () => {
  const client = await Client.in(running.port, running.server.secret)
  client.say({ kind: 'watch', id: 1, query })
  expect(await client.answer(1)).toEqual({ ok: true, value: null })
  const link = 'http://127.0.0.1:9/watched.bin'
  client.say({
    kind: 'call',
    id: 2,
    name: 'tasks.add',
    input: { links: [link], options: { startPaused: true } },
  })
  client.say({ kind: 'call', id: 3, name: 'app.info', input: {} })
  expect(await client.answer(2)).toMatchObject({ ok: true, value: { results: [{ kind: 'added', link }] } })
  expect(await client.answer(3)).toMatchObject({ ok: true, value: { host: 'server', capabilities: [] } })
  await client.until(
    (message) => message.kind === 'event' && message.name === 'list.window' && message.event.rows.length > 0,
  )
  client.socket.close()
})

test('bad calls are answered with a code: unknown commands, wrong inputs, folders outside the roots, queries that are none', async () => {
  const client = await Client.in(running.port, running.server.secret)
  const bad = [
    { kind: 'call', name: 'tasks.explode', input: {}, code: 'INVALID_INPUT' },
    { kind: 'call', name: 'constructor', input: {}, code: 'INVALID_INPUT' },
    { kind: 'call', name: 'tasks.pause', input: { ids: 'all' }, code: 'INVALID_INPUT' },
    { kind: 'call', name: 'settings.set', input: { maxConcurrentTasks: 99 }, code: 'INVALID_INPUT' },
    { kind: 'call', name: 'settings.set', input: { ffmpegPath: '/bin/sh' }, code: 'FORBIDDEN' },
    { kind: 'call', name: 'settings.set', input: { localApi: 'on' }, code: 'FORBIDDEN' },
    { kind: 'call', name: 'power.set', input: { action: 'shut-down' }, code: 'FORBIDDEN' },
    {
      kind: 'call',
      name: 'tasks.add',
      input: { links: ['http://a.test/'], options: { folder: '/etc' } },
      code: 'FORBIDDEN',
    },
    { kind: 'watch', query: { filter: 'nonsense' }, code: 'INVALID_INPUT' },
  ]
  for (const [id, { code, ...message }] of bad.entries()) {
    client.say({ id, ...message })
    expect(await client.answer(id)).toMatchObject({ ok: false, error: { code } })
  }
  client.socket.close()
})

describe('who does not get in', () => {
  test('a wrong secret is refused in words and closed; the limit is the one of all requests', async () => {
    const other = await TestServer.start()
    try {
      for (let guess = 0; guess < 11; guess++) {
        const raw = await RawWebSocket.open(other.port, `guess ${guess}`)
        expect(await raw.closed()).toBe(1008)
        expect(raw.messages()).toMatchObject([
          { kind: 'refused', error: { code: guess < 10 ? 'UNAUTHORIZED' : 'RATE_LIMITED' } },
        ])
      }
      expect((await other.post('/rpc/settings.get', {})).status).toBe(429)
    } finally {
      await other.end()
    }
  })

  test.each([
    ['a call', { kind: 'call', id: 1, name: 'settings.get', input: {} }],
    ['a watch', { kind: 'watch', id: 1, query: null }],
    ['a secret that is no text', { kind: 'hello', secret: 7 }],
    ['a list', []],
  ])('%s as the first message', async (_what, message) => {
    const raw = await RawWebSocket.open(running.port, null)
    raw.say(message)
    expect(await raw.closed()).toBe(1008)
    expect(raw.messages()).toMatchObject([{ kind: 'refused', error: { code: 'UNAUTHORIZED' } }])
  })

  test('B41: who says nothing for five seconds', async () => {
    const raw = await RawWebSocket.open(running.port, null)
    const opened = performance.now()
    expect(await raw.closed()).toBe(1008)
    expect(performance.now() - opened).toBeGreaterThan(4500)
  })

  test('a seventeenth at once', async () => {
    const other = await TestServer.start()
    try {
      const first = await Promise.all(
        Array.from({ length: 16 }, () => RawWebSocket.open(other.port, other.server.secret)),
      )
      expect(first.every(({ head }) => head.startsWith('HTTP/1.1 101'))).toBe(true)
      const late = await RawWebSocket.open(other.port, null)
      expect(late.head).toMatch(/^HTTP\/1\.1 429/)
    } finally {
      await other.end()
    }
  })

  test('who held a secret that was rotated', async () => {
    const other = await TestServer.start()
    try {
      const inside = await Client.in(other.port, other.server.secret)
      const old = other.server.secret
      const fresh = rotateSecret(`${other.base}/data`)
      expect(await inside.closed()).toBe(1008)
      const statusWith = async (secret: string) =>
        (await other.fetch('/api/config', { headers: { 'X-Secret-Key': secret } })).status
      expect(await statusWith(old)).toBe(401)
      expect(await statusWith(fresh)).toBe(200)
    } finally {
      await other.end()
    }
  })
})

describe('B42: what is thrown out, while others go on', () => {
  const hello = (secret: string) => frame(opcodes.text, JSON.stringify({ kind: 'hello', secret }))

  test.each([
    // it may be reset before the code is read, since the rest of the message is still on its way
    ['a message over the limit', [1009, 0], () => frame(opcodes.text, Buffer.alloc(1024 * 1024 + 1, 0x20))],
    ['a length of 2^62', [1009], () => frame(opcodes.text, 'x', 2n ** 62n)],
    ['a length of 200 MB', [1009], () => frame(opcodes.text, 'x', 200_000_000n)],
    ['bytes that are no UTF-8', [1007], () => frame(opcodes.text, Buffer.from([0xc3, 0x28]))],
    ['a binary message', [1003], () => frame(opcodes.binary, '{}')],
    ['a text that is no JSON', [1003], () => frame(opcodes.text, '{"kind":')],
    ['a message of no known kind', [1003], () => frame(opcodes.text, '{"kind":"explode","id":1}')],
    [
      'an id that is no number',
      [1003],
      () => frame(opcodes.text, '{"kind":"call","id":"1","name":"a","input":{}}'),
    ],
    ['a second hello', [1003], () => hello('again')],
    ['an unknown opcode', [1002], () => frame(5, '')],
    ['a frame without mask', [1002], () => Buffer.from([0x81, 0x02, 0x7b, 0x7d])],
  ])('%s', async (_what, codes, build) => {
    const other = await Client.in(running.port, running.server.secret)
    const raw = await RawWebSocket.open(running.port, running.server.secret)
    raw.socket.write(build())
    expect(codes).toContain(await raw.closed())
    other.say({ kind: 'call', id: 1, name: 'settings.get', input: {} })
    expect(await other.answer(1)).toMatchObject({ ok: true })
    other.socket.close()
  })

  test('compression is not agreed to', async () => {
    const raw = await RawWebSocket.open(running.port, running.server.secret, [
      'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits',
    ])
    expect(raw.head).not.toMatch(/permessage-deflate/i)
    raw.socket.destroy()
  })

  test('ten thousand small calls at once: each is answered, and nobody else waits for long', async () => {
    const other = await Client.in(running.port, running.server.secret)
    const flood = await Client.in(running.port, running.server.secret)
    for (let id = 0; id < 10_000; id++) flood.say({ kind: 'call', id, name: 'settings.get', input: {} })
    other.say({ kind: 'call', id: 1, name: 'settings.get', input: {} })
    expect(await other.answer(1)).toMatchObject({ ok: true })
    await flood.until(() => flood.answers === 10_000)
    const codes = flood.messages.flatMap((message) =>
      message.kind === 'answer' && !message.answer.ok ? [message.answer.error.code] : [],
    )
    expect(codes.every((code) => code === 'RATE_LIMITED')).toBe(true)
    other.socket.close()
    flood.socket.close()
  })

  test('B43: who calls and never reads is closed, and its answers are forgotten', async () => {
    const crowd = await TestServer.start()
    try {
      const links = Array.from(
        { length: 500 },
        (_, number) => `http://127.0.0.1:9/${number}/${'x'.repeat(1000)}.bin`,
      )
      await crowd.call('tasks.add', { links, options: { startPaused: true } })
      const raw = await RawWebSocket.open(crowd.port, crowd.server.secret)
      raw.socket.pause()
      let isOpen = true
      raw.socket.once('close', () => (isOpen = false))
      for (let id = 0; isOpen && id < 2000; id++) {
        raw.say({ kind: 'call', id, name: 'list.query', input: query })
        // an answer of another client between: the flood is being worked on
        await crowd.call('app.info', {})
        if (raw.socket.destroyed || !raw.socket.writable) isOpen = false
      }
      raw.socket.resume()
      await raw.closed()
      expect((await crowd.fetch('/api/health')).status).toBe(200)
    } finally {
      await crowd.end()
    }
  })
})
