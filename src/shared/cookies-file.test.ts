import { describe, expect, it } from 'vitest'
import { parseCookiesFile } from './cookies-file.ts'
import { maskParameters, secretValues } from './mask-secrets.ts'
import { maxCookies } from './task/access.ts'
import type { TaskParameters } from './task/model.ts'

const now = 1_700_000_000_000
const head = '# Netscape HTTP Cookie File\n'
const names = (text: string) => parseCookiesFile(head + text, now).map(({ name }) => name)

describe('a cookie file', () => {
  it('gives domain, path, security, expiry, name and value of each cookie', () => {
    const text = [
      '.site.example\tTRUE\t/\tTRUE\t1800000000\tsession\tabc=d e',
      '#HttpOnly_host.example\tFALSE\t/private\tFALSE\t0\tid\t',
      '# a comment',
      '',
    ].join('\r\n')
    expect(parseCookiesFile(`\ufeff${head}${text}`, now)).toEqual([
      {
        domain: 'site.example',
        includesSubdomains: true,
        path: '/',
        secure: true,
        name: 'session',
        value: 'abc=d e',
        expiresAt: 1_800_000_000_000,
      },
      {
        domain: 'host.example',
        includesSubdomains: false,
        path: '/private',
        secure: false,
        name: 'id',
        value: '',
        expiresAt: null,
      },
    ])
  })

  it('leaves out what has expired and what a later line replaces or takes away', () => {
    const line = (name: string, expiry: number, value: string) =>
      `a.example\tFALSE\t/\tFALSE\t${expiry}\t${name}\t${value}`
    expect(names([line('old', 1_600_000_000, 'x'), line('new', 1_800_000_000, 'x')].join('\n'))).toEqual([
      'new',
    ])
    const twice = [line('a', 0, '1'), line('b', 0, '1'), line('a', 0, '2')].join('\n')
    expect(parseCookiesFile(twice, now).map(({ name, value }) => name + value)).toEqual(['b1', 'a2'])
    expect(names([line('a', 0, '1'), line('a', 1, '')].join('\n'))).toEqual([])
  })

  it.each([
    ['a line break hidden as text', 'a.example\tFALSE\t/\tFALSE\t0\tname\tv\u0000x'],
    ['a semicolon in its value', 'a.example\tFALSE\t/\tFALSE\t0\tname\tv; other=1'],
    ['no name', 'a.example\tFALSE\t/\tFALSE\t0\t\tv'],
    ['a domain that is a link', 'http://a.example/\tFALSE\t/\tFALSE\t0\tn\tv'],
    ['a path that is none', 'a.example\tFALSE\tprivate\tFALSE\t0\tn\tv'],
    ['too few fields', 'a.example\tFALSE\t/'],
    ['an expiry that is no number', 'a.example\tFALSE\t/\tFALSE\tnever\tn\tv'],
  ])('leaves out a line with %s', (_, line) => {
    expect(names(`good.example\tFALSE\t/\tFALSE\t0\tgood\tv\n${line}`)).toEqual(['good'])
  })

  it('is refused when it is none, too long, or has too many', () => {
    expect(() => parseCookiesFile('{"cookies": []}', now)).toThrow(/no cookie file/)
    expect(() => parseCookiesFile('x'.repeat(5_000_000), now)).toThrow(/too large/)
    const many = Array.from(
      { length: maxCookies + 1 },
      (_, i) => `a.example\tFALSE\t/\tFALSE\t0\tc${i}\tv`,
    ).join('\n')
    expect(() => parseCookiesFile(many, now)).toThrow(/more than/)
    expect(parseCookiesFile(head, now)).toEqual([])
  })

  it('C130 its values are secrets: masked where parameters are shown, scrubbed from texts', () => {
    const cookies = parseCookiesFile(`${head}a.example\tFALSE\t/\tFALSE\t0\tn\tcanary-value`, now)
    const parameters: TaskParameters = {
      link: { kind: 'single', url: 'https://a.example/' },
      folder: '/tmp',
      name: null,
      headers: [],
      connections: null,
      speedLimitBytesPerSecond: null,
      checksum: null,
      proxy: null,
      direct: false,
      access: { cookies, uncheckedHosts: ['a.example'] },
    }
    expect(JSON.stringify(maskParameters(parameters))).not.toContain('canary')
    expect(maskParameters(parameters).access?.uncheckedHosts).toEqual(['a.example'])
    expect(secretValues(parameters)).toEqual(['canary-value'])
  })
})
