import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { FaultServer, seededBytes, sha256Of, seededBody } from './fault-server.ts'

/** Everything a server says to one raw request, until it closes. */
async function talk(port: number, request: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  for await (const piece of socket as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`
const bodyOf = (answer: Buffer) => answer.subarray(answer.indexOf('\r\n\r\n') + 4)

describe('the seeded generator', () => {
  it('gives the same bytes whatever the offset they are asked at', () => {
    const whole = seededBytes(3, 0, 5000)
    for (const [start, end] of [
      [0, 1],
      [1, 2],
      [3, 9],
      [4097, 5000],
      [10, 10],
    ] as const) {
      expect(seededBytes(3, start, end)).toEqual(whole.subarray(start, end))
    }
    expect(seededBytes(4, 0, 5000)).not.toEqual(whole)
    expect(seededBytes(3, 2 ** 34, 2 ** 34 + 8)).not.toEqual(seededBytes(3, 0, 8))
  })
})

describe('the fault server', () => {
  let server: FaultServer
  afterEach(() => server.close())

  it('serves whole bodies and ranges, and logs both', async () => {
    server = await FaultServer.start()
    server.serve('/a', { length: 100_000, seed: 5, etag: '"v"' })
    expect(bodyOf(await talk(server.port, get('/a')))).toEqual(seededBytes(5, 0, 100_000))
    const part = await talk(server.port, get('/a', 'Range: bytes=10-19\r\n'))
    expect(part.toString('latin1')).toContain('206 Partial Content')
    expect(part.toString('latin1')).toContain('Content-Range: bytes 10-19/100000')
    expect(bodyOf(part)).toEqual(seededBytes(5, 10, 20))
    expect(server.log.map((request) => request.range)).toEqual([null, { start: 10, end: 20 }])
    expect(server.bodyBytesSent('/a')).toBe(100_010)
    expect(sha256Of(seededBody(0))).toMatch(/^e3b0c442/)
  })

  it('answers 200 when If-Range does not hold and 416 past the end', async () => {
    server = await FaultServer.start()
    server.serve('/a', { length: 10, etag: '"v"' })
    expect(String(await talk(server.port, get('/a', 'Range: bytes=4-\r\nIf-Range: "w"\r\n')))).toContain(
      ' 200 ',
    )
    expect(String(await talk(server.port, get('/a', 'Range: bytes=10-\r\n')))).toContain('bytes */10')
  })

  it('cuts at the byte it was told, then is honest', async () => {
    server = await FaultServer.start()
    server.serve('/a', { length: 1000, faults: [{ breakAfter: { bytes: 321, how: 'fin' } }] })
    expect(bodyOf(await talk(server.port, get('/a'))).length).toBe(321)
    expect(bodyOf(await talk(server.port, get('/a'))).length).toBe(1000)
    expect(server.log.map((request) => request.outcome)).toEqual(['cut', 'complete'])
  })

  it('keeps to a rate', async () => {
    server = await FaultServer.start()
    server.serve('/a', { length: 100_000, bytesPerSecond: 400_000 })
    const startedAt = performance.now()
    await talk(server.port, get('/a'))
    expect(performance.now() - startedAt).toBeGreaterThan(200)
  })

  it('answers statuses in order, then the resource; redirects; unknown paths are 404', async () => {
    server = await FaultServer.start()
    server.statuses('/a', [503, 429], { body: 'fine' }, [['Retry-After', '1']])
    server.redirect('/r', '/a')
    const heads: string[] = []
    for (const path of ['/a', '/a', '/a', '/r', '/none']) {
      heads.push(String(await talk(server.port, get(path))).slice(9, 12))
    }
    expect(heads).toEqual(['503', '429', '200', '302', '404'])
  })

  it('lets a test wait for what it saw and refuses connections as scripted', async () => {
    server = await FaultServer.start({ onConnection: (number) => (number === 1 ? 'reset' : 'serve') })
    server.serve('/a', { body: 'x' })
    await expect(talk(server.port, get('/a'))).rejects.toThrow()
    const seen = server.until(() => server.requests('/a').length === 1)
    await talk(server.port, get('/a'))
    await seen
    await expect(server.until(() => false, 10)).rejects.toThrow('no such thing')
  })
})
