/** A browser extension that the user has let in by its origin; everyone else still gets no word of CORS. */
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { rawRequest, requestText, TestServer } from './running-server.ts'

const extension = 'moz-extension://0b1c2d3e-4f50-6172'

test('it may ask beforehand, ask with the secret, and open a WebSocket; others may not, and it may not without the secret', async () => {
  const server = await TestServer.start({ allowedOrigins: [extension] })
  try {
    const ask = (origin: string, method: string, headers: Record<string, string> = {}) =>
      rawRequest(
        server.port,
        requestText(server.port, { method, target: '/api/config', headers: { Origin: origin, ...headers } }),
      )
    const secret = { 'X-Secret-Key': server.server.secret }
    const before = await ask(extension, 'OPTIONS', { 'Access-Control-Request-Method': 'PATCH' })
    expect(before.status).toBe(204)
    expect(before.head).toMatch(new RegExp(`^access-control-allow-origin: ${extension}\\r?$`, 'im'))
    expect(before.head).toMatch(/^vary: origin\r?$/im)
    expect(before.head).toMatch(/^access-control-allow-headers: .*x-secret-key/im)
    expect(before.head).not.toMatch(/access-control-allow-credentials/i)

    const right = await ask(extension, 'GET', { ...secret, 'Sec-Fetch-Site': 'cross-site' })
    expect(right.status).toBe(200)
    expect(right.head).toMatch(/access-control-allow-origin/i)
    expect((await ask(extension, 'GET')).status).toBe(401)
    expect((await ask(extension, 'GET', { ...secret, Host: 'evil.example' })).status).toBe(421)

    for (const stranger of ['moz-extension://another', 'https://evil.example', 'null', `${extension}/`]) {
      for (const method of ['OPTIONS', 'GET']) {
        const refused = await ask(stranger, method, secret)
        expect(refused.status).toBe(method === 'OPTIONS' ? 405 : 403)
        expect(refused.head).not.toMatch(/access-control-/i)
      }
    }

    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, {
      headers: { Origin: extension },
    } as unknown as string)
    await once(socket, 'open')
    socket.close()
  } finally {
    await server.end()
  }
})
