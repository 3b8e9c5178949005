import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandLinkPattern, maxPatternLinks } from './link-patterns.ts'

describe('link patterns', () => {
  it.each([
    ['http://h/f', ['http://h/f']],
    ['http://h/[08-11].zip', ['08', '09', '10', '11'].map((n) => `http://h/${n}.zip`)],
    ['h[3-1]', ['h3', 'h2', 'h1']],
    ['h[0-100:50]', ['h0', 'h50', 'h100']],
    ['h[a-c]', ['ha', 'hb', 'hc']],
    ['h[C-A:2]', ['hC', 'hA']],
    ['[1-2]x[a-b]', ['1xa', '1xb', '2xa', '2xb']],
    ['http://[::1]:80/f', ['http://[::1]:80/f']],
    ['h[a-Z]', ['h[a-Z]']],
    ['h[1-]', ['h[1-]']],
  ])('%s', (text, links) => {
    expect(expandLinkPattern(text)).toEqual(links)
  })

  it('are bounded before anything is made', () => {
    expect(expandLinkPattern('[1-10000]').length).toBe(maxPatternLinks)
    for (const text of ['[1-10001]', '[0-999999999999999]', '[1-101][1-100]', '[1-5:0]']) {
      expect(() => expandLinkPattern(text)).toThrow(/pattern/)
    }
  })

  it('never throw anything else', () => {
    const piece = fc.oneof(
      fc.constantFrom('[', ']', '-', '0', '9', 'a', 'Z', ':', '[1-3]', '[a-b:2]'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          expect(expandLinkPattern(pieces.join('')).length).toBeGreaterThan(0)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'INVALID_INPUT' })
        }
      }),
    )
  })
})
