import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { TcpNetworkProbe } from '../../src/adapters/network-probe.ts'

describe('invariant 20: what a held condition asks of the network', () => {
  it('is a connection and not a byte more', async () => {
    let connections = 0
    let bytes = 0
    const closed = Promise.withResolvers<undefined>()
    const server = createServer((socket) => {
      connections++
      socket.on('data', (data) => (bytes += data.length))
      socket.on('error', () => null)
      socket.on('close', () => closed.resolve(undefined))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await new TcpNetworkProbe().probe('127.0.0.1', port)).toBe('answers')
    await closed.promise
    expect([connections, bytes]).toEqual([1, 0])
    server.close()
    await once(server, 'close')
    expect(await new TcpNetworkProbe().probe('127.0.0.1', port)).not.toBe('answers')
  })
})
