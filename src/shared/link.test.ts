import { describe, expect, it } from 'vitest'
import { checkLink } from './link.ts'

describe('links', () => {
  it.each([
    'file:///etc/passwd',
    '\\\\host\\share',
    'javascript:alert(1)',
    'data:text/plain,x',
    'blob:http://a/b',
    'vbscript:x',
    'ms-settings:x',
    'ftp://h/f',
    'not a link',
    '',
    'http://',
    'https:///',
  ])('B31 refuses %s', (link) => {
    expect(() => checkLink(link)).toThrow()
  })

  it('B33 moves credentials out and decodes them once', () => {
    expect(checkLink('http://user%40corp:p%3A%23ss%25w%C3%B6rd@127.0.0.1/f.bin')).toEqual({
      url: 'http://127.0.0.1/f.bin',
      host: '127.0.0.1',
      credentials: { user: 'user@corp', password: 'p:#ss%wörd' },
    })
    expect(checkLink('http://a:%ZZ@h/').credentials).toEqual({ user: 'a', password: '%ZZ' })
  })

  it('B33 shows punycode, keeps a lone percent, drops the fragment', () => {
    expect(checkLink('http://аpple.com/').host).toBe('xn--pple-43d.com')
    expect(checkLink(' http://h/100%#frag ').url).toBe('http://h/100%')
  })

  it('B33 refuses what is too long or has controls in it', () => {
    expect(() => checkLink(`http://h/${'x'.repeat(100_000)}`)).toThrow(/too long/)
    expect(() => checkLink('http://h/a\tb')).toThrow(/control/)
    expect(() => checkLink('http://h/a\nb')).toThrow(/control/)
  })

  it('resolves against a base, and refuses other schemes there too', () => {
    expect(checkLink('../x.zip', 'http://h/a/b/c').url).toBe('http://h/a/x.zip')
    expect(checkLink('//other/x', 'https://h/').url).toBe('https://other/x')
    expect(() => checkLink('file:///x', 'http://h/')).toThrow()
  })
})
