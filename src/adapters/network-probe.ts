import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { NetworkProbe } from '../core/ports.ts'

const timeoutMs = 15_000

function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some(
    (list) => list?.some((address) => !address.internal) ?? false,
  )
}

/** Asks with a connection and nothing more: a paused or waiting task causes no request (invariant 20). */
export class TcpNetworkProbe implements NetworkProbe {
  probe(host: string, port: number): Promise<'answers' | 'silent' | 'offline'> {
    return new Promise((resolve) => {
      const socket = connect({ host, port, autoSelectFamily: true, timeout: timeoutMs })
      const end = (answer: 'answers' | 'silent') => {
        socket.destroy()
        // loopback answers also without a network: only a silent host can mean "offline"
        resolve(answer === 'silent' && !hasNetwork() ? 'offline' : answer)
      }
      socket.once('connect', () => end('answers'))
      socket.once('timeout', () => end('silent'))
      socket.once('error', () => end('silent'))
    })
  }
}
