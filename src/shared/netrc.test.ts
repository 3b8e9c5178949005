import { describe, expect, it } from 'vitest'
import { cpuTimeOf } from '../../test/cpu-time.ts'
import { netrcCredentials } from './netrc.ts'

const text = `# hosts of the lab
machine files.example login anna password "two words \\" and a quote"
machine Other.example
  login bert
  password #no-comment
  account ignored
macdef init
  machine macro.example login x password y

machine empty.example
default login anonymous password me@here
machine after.example login never password never
`

describe('a netrc file', () => {
  it.each([
    ['files.example', { user: 'anna', password: 'two words " and a quote' }],
    ['other.EXAMPLE', { user: 'bert', password: '#no-comment' }],
    ['macro.example', { user: 'anonymous', password: 'me@here' }],
    ['elsewhere.example', { user: 'anonymous', password: 'me@here' }],
    ['after.example', { user: 'anonymous', password: 'me@here' }],
    ['empty.example', null],
  ])('gives what belongs to %s', (host, credentials) => {
    expect(netrcCredentials(text, host)).toEqual(credentials)
  })

  it('gives nothing without an entry, and takes a name without a password', () => {
    expect(netrcCredentials('', 'h')).toBeNull()
    expect(netrcCredentials('machine h login u', 'h')).toEqual({ user: 'u', password: '' })
    expect(netrcCredentials('machine', 'h')).toBeNull()
    expect(() => netrcCredentials('#'.repeat(2_000_000), 'h')).toThrow(/too large/)
  })

  it('is read in bounded time whatever it holds', () => {
    const readAll = () => {
      for (const piece of ['#\n', 'machine ', '"\\" ', 'macdef\n', 'default ', '" ']) {
        netrcCredentials(piece.repeat(1_000_000 / piece.length), 'h')
      }
    }
    expect(cpuTimeOf(readAll)).toBeLessThan(2000)
  })
})
