/** B44: clients that take their time, or all the connections there are. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { maxConnections } from '../../src/http/http-host.ts'
import { rawRequest, requestText, TestServer } from './running-server.ts'

let running: TestServer
beforeEach(async () => {
  running = await TestServer.start()
})
afterEach(() => running.end())

async function open(): Promise<Socket> {
  const socket = connect({ port: running.port, host: '127.0.0.1' })
  socket.on('error', () => null)
  await once(socket, 'connect')
  return socket
}

test('headers that never end are given up after ten seconds', async () => {
  const before = performance.now()
  const answer = await rawRequest(
    running.port,
    `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nX-Slow: `,
  )
  expect(answer.status).toBe(408)
  expect(performance.now() - before).toBeGreaterThan(9000)
  expect(performance.now() - before).toBeLessThan(20_000)
})

test('a body that never ends is stopped at its limit while it arrives', async () => {
  const socket = await open()
  let said = ''
  socket.setEncoding('utf8').on('data', (text: string) => (said += text))
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  socket.write(
    requestText(running.port, {
      method: 'POST',
      target: '/rpc/settings.set',
      headers: {
        'X-Secret-Key': running.server.secret,
        'Content-Type': 'application/json',
        'Transfer-Encoding': 'chunked',
      },
    }),
  )
  for (let sent = 0; sent < 200 && said === '' && socket.writable; sent++) {
    if (!socket.write(chunk))
      await Promise.race([once(socket, 'drain'), once(socket, 'close'), once(socket, 'data')])
  }
  if (!socket.closed && said === '') await once(socket, 'data')
  expect(said).toMatch(/^HTTP\/1\.1 413/)
  socket.destroy()
})

test('more connections than there may be are closed; the first ones go on', async () => {
  const sockets = await Promise.all(Array.from({ length: maxConnections }, open))
  const late = await open()
  if (!late.closed) await once(late, 'close')
  const first = sockets[0]
  first?.write(requestText(running.port))
  const [answer] = first === undefined ? [''] : ((await once(first.setEncoding('utf8'), 'data')) as [string])
  expect(answer).toMatch(/^HTTP\/1\.1 200/)
  for (const socket of sockets) socket.destroy()
})
