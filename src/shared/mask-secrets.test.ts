import { describe, expect, test } from 'vitest'
import { sampleTask } from '../../test/contracts/sample-task.ts'
import { mask, maskHeaders, maskParameters, scrub, secretValues, withoutUserInfo } from './mask-secrets.ts'

const { parameters } = sampleTask('t')

describe('secrets', () => {
  test('in headers are masked by name, others stay', () => {
    expect(
      maskHeaders([
        ['Authorization', 'Basic abc'],
        ['cookie', 'a=b'],
        ['X-Api-Key', 'k'],
        ['X-Auth-Token', 't'],
        ['Referer', 'http://a.test/'],
      ]),
    ).toEqual([
      ['Authorization', mask],
      ['cookie', mask],
      ['X-Api-Key', mask],
      ['X-Auth-Token', mask],
      ['Referer', 'http://a.test/'],
    ])
  })

  test('in links and proxies are taken out', () => {
    expect(withoutUserInfo('http://user:pass@a.test/x@y')).toBe('http://a.test/x@y')
    expect(withoutUserInfo('http://a.test/?q=u@v')).toBe('http://a.test/?q=u@v')
    const shown = maskParameters({ ...parameters, proxy: 'socks5://u:secret@p.test:1080' })
    expect(JSON.stringify(shown)).not.toContain('secret')
  })

  test('are scrubbed from free text, the longest first', () => {
    const secrets = secretValues({
      ...parameters,
      headers: [
        ['Cookie', 'abcd'],
        ['Authorization', 'abcdefgh'],
      ],
    })
    expect(scrub('it said abcdefgh and abcd', secrets)).toBe(`it said ${mask} and ${mask}`)
  })

  test('are known by their parts too: one cookie, the token of a scheme, the password of a proxy', () => {
    const secrets = secretValues({
      ...parameters,
      headers: [
        ['Cookie', 'sid=first-one; theme=dark; t=second-one'],
        ['Authorization', 'Bearer token-value'],
      ],
      proxy: 'http://me:hidden-word@p.test',
    })
    const text = 'first-one second-one token-value hidden-word'
    expect(scrub(text, secrets)).toBe([mask, mask, mask, mask].join(' '))
  })
})
