import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf, fit, plainText } from './terminal-text.ts'

describe('text on a terminal', () => {
  it('cannot steer the terminal', () => {
    expect(plainText('a\u001b]0;owned\u0007b\r\nc\u202ed')).toBe('a ]0;owned b  c d')
  })

  it('counts wide characters double and marks not at all', () => {
    expect(columnsOf('日本')).toBe(4)
    expect(columnsOf('e\u0301')).toBe(1)
    expect(columnsOf('🎬a')).toBe(3)
  })

  it('is cut with an ellipsis, never in the middle of a character', () => {
    expect(fit('日本語.mp4', 6)).toBe('日本… ')
    expect(fit('日本語.mp4', 7)).toBe('日本語…')
    expect(fit('abc', 5)).toBe('abc  ')
  })

  it('takes exactly the columns it is given, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 60 }), (text, columns) => {
        expect(columnsOf(fit(text, columns))).toBe(columns)
      }),
    )
  })
})
