import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../../test/cpu-time.ts'
import { DigestAuth, digestAuthorization, digestChallenge, parseChallenges } from './digest-auth.ts'

/** The example of RFC 7616 section 3.9.1. */
const example = [
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
  'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
]
const mufasa = { user: 'Mufasa', password: 'Circle of Life' }
const request = {
  method: 'GET',
  target: '/dir/index.html',
  count: 1,
  clientNonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
}

function answer(fields: readonly string[], credentials = mufasa): string {
  const challenge = digestChallenge(parseChallenges(fields))
  if (challenge === null) throw new Error('not understood')
  return digestAuthorization(challenge, credentials, request)
}

describe('digest authentication', () => {
  it('gives the answers of RFC 7616, the stronger one when there is a choice', () => {
    expect(answer(example.slice(1))).toContain('response="8ca523f5e9506fed4657c9700eebdbec"')
    expect(answer(example)).toContain(
      'response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"',
    )
    expect(answer([example.join(', ')])).toContain('algorithm=SHA-256')
    expect(answer(example)).toMatch(/^Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/)
  })

  it('gives the answer of RFC 2069 to a host that knows no qop', () => {
    const old = ['Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"']
    const text = answer(old)
    expect(text).toContain('response="')
    expect(text).not.toMatch(/qop|cnonce|nc=/)
  })

  it('gives a session form its client nonce, hides a name that is to be hidden, escapes quotes', () => {
    const session = answer(['Digest realm="r", nonce="n", algorithm=MD5-sess, userhash=true, qop=auth'], {
      user: 'a"b',
      password: 'p',
    })
    expect(session).toContain('cnonce="')
    expect(session).toContain('userhash=true')
    expect(session).not.toContain('a\\"b')
    expect(answer(['Digest realm="a\\"b", nonce="n"'], { user: 'a"b', password: 'ü' })).toContain(
      'username="a\\"b", realm="a\\"b"',
    )
  })

  it.each([
    'Basic realm="x"',
    'Digest realm="r", nonce="n", algorithm=SHA-512-256',
    'Digest realm="r", nonce="n", qop="auth-int"',
    'Digest realm="r"',
    'Negotiate YIIB==',
    '',
  ])('has no answer to %s', (field) => {
    expect(digestChallenge(parseChallenges([field]))).toBeNull()
  })

  it('asks again once for a refusal, and once more for an old nonce', () => {
    const auth = new DigestAuth(mufasa, 'c')
    expect(auth.authorizationFor('/')).toBeNull()
    const fresh = parseChallenges(['Digest realm="r", nonce="1", qop=auth'])
    expect(auth.challenged(fresh, true)).toBe(true)
    expect(auth.authorizationFor('/a')).toContain('nc=00000001')
    expect(auth.authorizationFor('/b')).toContain('nc=00000002')
    expect(auth.challenged(fresh, false)).toBe(false)
    expect(auth.challenged(fresh, true)).toBe(true)
    expect(auth.authorizationFor('/c')).toContain('nc=00000003')
    expect(
      auth.challenged(parseChallenges(['Digest realm="r", nonce="2", qop=auth, stale=TRUE']), false),
    ).toBe(true)
    expect(auth.authorizationFor('/a')).toMatch(/nonce="2".*nc=00000001/)
  })

  it('never throws and is read in bounded time, whatever the host sends', () => {
    const piece = fc.constantFrom(
      'Digest ',
      'realm=',
      '"',
      '\\',
      ', ',
      'nonce="n"',
      ' ',
      '=',
      'qop=auth',
      '\t',
      'é',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const challenge = digestChallenge(parseChallenges([pieces.join('')]))
        if (challenge !== null) expect(digestAuthorization(challenge, mufasa, request)).not.toMatch(/[\r\n]/)
      }),
      { numRuns: 2000 },
    )
    const parseAll = () => {
      for (const text of [' ', '"', '\\"', 'a', 'a=', ',', 'Digest a="']) {
        parseChallenges([text.repeat(64_000 / text.length)])
      }
    }
    expect(cpuTimeOf(parseAll)).toBeLessThan(1000)
  })
})
