/** B43: a client that reads slowly loses events that a fresh window makes up for, and nothing else. */
import { once } from 'node:events'
import fastifyWebsocket from '@fastify/websocket'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SendEvent } from '../../src/core/service.ts'
import { createLog } from '../../src/http/log.ts'
import { SecretCheck } from '../../src/http/secret-check.ts'
import { SocketTransport } from '../../src/http/socket-transport.ts'
import { RawWebSocket } from './raw-web-socket.ts'

let app: FastifyInstance
let port: number
/** what the service would send to the connection */
let send: SendEvent
/** queries that were watched, in order */
let watched: unknown[]
let serverSockets: Set<{ bufferedAmount: number }>

beforeEach(async () => {
  watched = []
  const transport = new SocketTransport({
    secrets: new SecretCheck('secret', { monotonic: () => performance.now() }),
    log: createLog(() => null),
    limits: {
      helloTimeoutMs: 5000,
      pingIntervalMs: 1500,
      eventsStopAtBytes: 100_000,
      closeAtBytes: 200_000_000,
    },
    connect: (to) => {
      send = to
      return {
        call: () => Promise.resolve({ ok: true, value: null }),
        watchList: (query) => {
          watched.push(query)
          return Promise.resolve({ ok: true, value: null })
        },
        close: () => null,
      }
    },
  })
  app = fastify()
  await app.register(fastifyWebsocket)
  app.get('/ws', { websocket: true }, (socket, request) => transport.serve(socket, request.ip))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
  serverSockets = app.websocketServer.clients
})
afterEach(() => app.close())

const row = (number: number) => ({ id: `task-${number}`, title: 'x'.repeat(50_000) })

test('events that cannot be taken are left out, settings are not, and the window comes anew once all is read', async () => {
  const slow = await RawWebSocket.open(port, 'secret')
  slow.say({ kind: 'watch', id: 1, query: 'the watched query' })
  while (watched.length < 1) await once(slow.socket, 'data')
  slow.socket.pause()

  const [socket] = serverSockets
  let sent = 0
  // the kernel takes some megabytes before anything stays with us
  for (; (socket?.bufferedAmount ?? 0) <= 100_000; sent++) {
    send('tasks.changed', { epoch: 'e', revision: sent, patches: [row(sent)] })
    await new Promise((resolve) => setImmediate(resolve))
  }
  const kept = socket?.bufferedAmount ?? 0
  for (let late = 0; late < 1000; late++) {
    send('tasks.changed', { epoch: 'e', revision: sent + late, patches: [row(late)] })
  }
  expect(socket?.bufferedAmount).toBe(kept)
  send('notice', { kind: 'all-finished', taskId: null, title: 'still told', error: null })
  expect(socket?.bufferedAmount).toBeGreaterThan(kept)
  expect(watched).toEqual(['the watched query'])

  slow.socket.resume()
  while (watched.length < 2) await once(slow.socket, 'data')
  expect(watched).toEqual(['the watched query', 'the watched query'])
  const namesOf = () => slow.messages().map((message) => (message as { name?: string }).name)
  while (!namesOf().includes('notice')) await once(slow.socket, 'data')
  const names = namesOf()
  expect(names.filter((name) => name === 'tasks.changed')).toHaveLength(sent)
  expect(names.filter((name) => name === 'notice')).toHaveLength(1)
  slow.socket.destroy()
})

test('a client that does not answer pings is gone', async () => {
  const silent = await RawWebSocket.open(port, 'secret')
  await silent.closed()
  await expect.poll(() => serverSockets.size).toBe(0)
})
