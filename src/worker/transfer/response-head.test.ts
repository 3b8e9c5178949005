import { describe, expect, it } from 'vitest'
import { fieldOf, findHeadEnd, parseResponseHead } from './response-head.ts'

const parse = (text: string, method: 'GET' | 'HEAD' = 'GET') =>
  parseResponseHead(Buffer.from(text, 'latin1'), method)
const withFields = (...lines: string[]) =>
  `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`

describe('heads of answers', () => {
  it('gives status, fields and framing', () => {
    const head = parse(withFields('Content-Length:  12 ', 'X-A: b', 'x-a: c'))
    expect(head).toMatchObject({ status: 200, framing: { kind: 'length', length: 12 }, keepAlive: true })
    expect(fieldOf(head, 'x-a')).toBe('b')
  })

  it.each([
    ['chunked', withFields('Transfer-Encoding: Chunked'), 'GET', { kind: 'chunked' }],
    ['no length', withFields(), 'GET', { kind: 'close' }],
    ['an answer to HEAD', withFields('Content-Length: 12'), 'HEAD', { kind: 'none' }],
    ['204', 'HTTP/1.1 204 None\r\n\r\n', 'GET', { kind: 'none' }],
    ['304', 'HTTP/1.1 304\r\nContent-Length: 5\r\n\r\n', 'GET', { kind: 'none' }],
    ['100', 'HTTP/1.1 100 Continue\r\n\r\n', 'GET', { kind: 'none' }],
  ] as const)('frames %s', (_, text, method, framing) => {
    expect(parse(text, method).framing).toEqual(framing)
  })

  it.each([
    ['B22 C034 a length beside chunked', withFields('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['B22 two lengths', withFields('Content-Length: 5', 'Content-Length: 5')],
    ['B22 a folded line', withFields('A: b', ' c')],
    ['B22 NUL in a field', withFields('A: b\0c')],
    ['B22 a bare line feed', 'HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n'],
    ['B22 a bare carriage return', withFields('A: b\rC: d')],
    ['B22 10,000 lines', withFields(...Array.from({ length: 10_000 }, () => 'A: b'))],
    ['B22 70 kB', withFields(`A: ${'b'.repeat(70_000)}`)],
    ['a space before the colon', withFields('A : b')],
    ['B21 a negative length', withFields('Content-Length: -1')],
    ['B21 a length in scientific form', withFields('Content-Length: 1e9')],
    ['B21 a length of 2^53 + 1', withFields('Content-Length: 9007199254740993')],
    ['B21 a length of 2^64', withFields('Content-Length: 18446744073709551616')],
    ['a list of lengths', withFields('Content-Length: 5, 5')],
    ['gzip, chunked', withFields('Transfer-Encoding: gzip, chunked')],
    ['chunked in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['HTTP/2 in text', 'HTTP/2 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 No\r\n\r\n'],
  ])('refuses %s', (_, text) => {
    expect(() => parse(text)).toThrow()
  })

  it('keeps a connection by version and token', () => {
    expect(parse(withFields('Connection: close, x')).keepAlive).toBe(false)
    expect(parse('HTTP/1.0 200 OK\r\n\r\n').keepAlive).toBe(false)
    expect(parse('HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n').keepAlive).toBe(true)
  })

  it('finds the end of a head only when it is there', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\n\r\nbody')
    expect(findHeadEnd(bytes, 0, bytes.length)).toBe(19)
    expect(findHeadEnd(bytes, 0, 18)).toBe(-1)
  })
})
