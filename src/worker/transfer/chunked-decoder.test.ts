import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkedDecoder } from './chunked-decoder.ts'

/** Decodes text that arrives in pieces of `step` bytes. */
function decode(text: string, step: number): { data: string; done: boolean; used: number } {
  const bytes = Buffer.from(text, 'latin1')
  const decoder = new ChunkedDecoder()
  let data = ''
  let used = 0
  for (let at = 0; at < bytes.length && !decoder.done; at += step) {
    const result = decoder.decode(bytes, at, Math.min(bytes.length, at + step))
    data += bytes.toString('latin1', at, result.dataEnd)
    used += result.used
  }
  return { data, done: decoder.done, used }
}

describe('chunked bodies', () => {
  it('come out whole however they are cut', () => {
    const chunks = fc.array(fc.string({ minLength: 1, maxLength: 40, unit: 'binary-ascii' }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 50 }), (list, step) => {
        const coded = list.map((chunk) => `${chunk.length.toString(16)};x=1\r\n${chunk}\r\n`).join('')
        const text = `${coded}0\r\nTrailer: 1\r\n\r\n`
        expect(decode(text, step)).toEqual({ data: list.join(''), done: true, used: text.length })
      }),
    )
  })

  it('leaves what follows the end', () => {
    const decoder = new ChunkedDecoder()
    const bytes = Buffer.from('1\r\na\r\n0\r\n\r\nHTTP/1.1')
    expect(decoder.decode(bytes, 0, bytes.length)).toEqual({ dataEnd: 1, used: 11 })
  })

  it.each([
    ['a size that is no number', 'x\r\n'],
    ['a size beyond 2^52', 'ffffffffffffff\r\n'],
    ['an empty size', '\r\n'],
    ['a line that ends without CR', '5\nhello'],
    ['a chunk longer than its size', '2\r\nabc\r\n'],
    ['an endless size line', `1;${'x'.repeat(5000)}`],
    ['endless trailers', `0\r\n${'a: b\r\n'.repeat(5000)}`],
    ['a negative size', '-1\r\n'],
  ])('refuses %s', (_, text) => {
    expect(() => decode(text, 1000)).toThrow()
  })
})
