import { describe, expect, test } from 'vitest'
import { givenSecret, hostGate, methodAndLengthGate, originGate, ownNames } from './gates.ts'
import type { RequestFacts } from './gates.ts'

const port = 8786
const names = ownNames('127.0.0.1')

function facts(headers: Record<string, string>, rest: Partial<RequestFacts> = {}): RequestFacts {
  return { method: 'GET', url: '/', headers, rawHeaders: Object.entries(headers).flat(), ...rest }
}

describe('methodAndLengthGate', () => {
  test.each(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'])('%s is taken', (method) => {
    expect(methodAndLengthGate(facts({}, { method }), false)).toBeNull()
  })
  test.each(['OPTIONS', 'PUT', 'TRACE', 'CONNECT', 'QUERY', 'get'])(
    '%s is refused with what is taken',
    (method) => {
      const refused = methodAndLengthGate(facts({}, { method }), false)
      expect(refused?.status).toBe(405)
      expect(refused?.headers?.['Allow']).toBe('GET, HEAD, POST, PATCH, DELETE')
    },
  )
  test.each(['http://evil.example/', 'http://127.0.0.1:8786/api/health', '*', 'evil.example:443', ''])(
    'an address is a path, not %j',
    (url) => {
      expect(methodAndLengthGate(facts({}, { url }), false)?.status).toBe(400)
    },
  )
  test('an address may have 8192 characters and no more', () => {
    expect(methodAndLengthGate(facts({}, { url: `/${'a'.repeat(8191)}` }), false)).toBeNull()
    expect(methodAndLengthGate(facts({}, { url: `/${'a'.repeat(8192)}` }), false)?.status).toBe(414)
  })
})

describe('hostGate', () => {
  test.each(['127.0.0.1:8786', 'localhost:8786', 'LocalHost:8786', '[::1]:8786'])('%s is ours', (host) => {
    expect(hostGate(facts({ host }), names, port)).toBeNull()
  })
  test.each([
    'evil.example',
    'evil.example:8786',
    '127.0.0.1.evil.example:8786',
    'localhost.:8786',
    'localhost.evil.example:8786',
    '127.0.0.1',
    '127.0.0.1:8787',
    '127.0.0.1:08786',
    '0.0.0.0:8786',
    '2130706433:8786',
    '[::ffff:127.0.0.1]:8786',
    'user@127.0.0.1:8786',
    '127.0.0.1:8786, evil.example',
    '',
  ])('%j is not', (host) => {
    expect(hostGate(facts({ host }), names, port)?.status).toBe(421)
  })
  test('a missing and a second Host are refused, whatever they say', () => {
    expect(hostGate(facts({}), names, port)?.status).toBe(421)
    const twice = facts(
      { host: '127.0.0.1:8786' },
      { rawHeaders: ['Host', '127.0.0.1:8786', 'host', 'evil.example'] },
    )
    expect(hostGate(twice, names, port)?.status).toBe(421)
  })
  test('on port 80 the name alone is ours too', () => {
    expect(hostGate(facts({ host: 'localhost' }), names, 80)).toBeNull()
  })
  test('a host that listens on one address is asked for under it', () => {
    expect(ownNames('192.168.1.5')).toEqual(['127.0.0.1', 'localhost', '[::1]', '192.168.1.5'])
    expect(ownNames('fd00::5')).toContain('[fd00::5]')
  })
  test('a host that listens everywhere is asked for under its addresses and its name, not under any name', () => {
    const everywhere = ownNames('0.0.0.0')
    expect(everywhere).toContain('127.0.0.1')
    expect(hostGate(facts({ host: 'evil.example:8786' }), everywhere, port)?.status).toBe(421)
  })
})

describe('originGate', () => {
  const allowed = ['moz-extension://0b1c2d3e-let-in']
  const gate = (headers: Record<string, string>, isPage = false) =>
    originGate(facts(headers), names, port, isPage, allowed)

  test('programs say nothing of origins; our own window says ours', () => {
    expect(gate({})).toBeNull()
    expect(gate({ origin: 'http://127.0.0.1:8786', 'sec-fetch-site': 'same-origin' })).toBeNull()
    expect(gate({ 'sec-fetch-site': 'none' })).toBeNull()
  })
  test.each([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'http://127.0.0.1' },
    { origin: 'http://127.0.0.1:8787' },
    { origin: 'https://127.0.0.1:8786' },
    { origin: 'http://127.0.0.1:8786.evil.example' },
    { origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' },
    { origin: 'http://127.0.0.1:8786', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'something new' },
  ])('%j is refused', (headers) => {
    expect(gate(headers)?.status).toBe(403)
  })
  test('an origin that is let in by name may ask, whatever the browser says of the site; none that is like it', () => {
    const [origin = ''] = allowed
    expect(gate({ origin, 'sec-fetch-site': 'cross-site' })).toBeNull()
    expect(gate({ origin: `${origin}.evil.example` })?.status).toBe(403)
    expect(gate({ origin: origin.toUpperCase() })?.status).toBe(403)
    expect(methodAndLengthGate(facts({ origin }, { method: 'OPTIONS' }), true)).toBeNull()
  })
  test('a link to the window may be followed from elsewhere, but not embedded or fetched', () => {
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect(gate(followed, true)).toBeNull()
    expect(gate(followed, false)?.status).toBe(403)
    expect(gate({ ...followed, 'sec-fetch-dest': 'iframe' }, true)?.status).toBe(403)
    expect(gate({ ...followed, 'sec-fetch-mode': 'no-cors' }, true)?.status).toBe(403)
    expect(gate({ ...followed, origin: 'https://evil.example' }, true)?.status).toBe(403)
  })
})

describe('givenSecret', () => {
  test('is taken from X-Secret-Key or a bearer, and from nowhere else', () => {
    expect(givenSecret({ 'x-secret-key': 'a' })).toBe('a')
    expect(givenSecret({ authorization: 'Bearer a b' })).toBe('a b')
    expect(givenSecret({ authorization: 'bearer a' })).toBe('a')
    expect(givenSecret({ 'x-secret-key': 'a', authorization: 'Bearer b' })).toBe('a')
    expect(givenSecret({ authorization: 'Basic YTph' })).toBeUndefined()
    expect(givenSecret({ cookie: 'secret=a' })).toBeUndefined()
    expect(givenSecret({})).toBeUndefined()
  })
})
