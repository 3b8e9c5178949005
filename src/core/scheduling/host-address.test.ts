import { describe, expect, it } from 'vitest'
import { sampleTask } from '../../../test/contracts/sample-task.ts'
import { hostAddress } from './host-address.ts'

describe('the address of a host', () => {
  const base = sampleTask('a')
  const of = (url: string) =>
    hostAddress({ ...base, parameters: { ...base.parameters, link: { kind: 'single', url } } })

  it('is worked out once for all links to it', () => {
    expect(of('http://a.test/1?x=1')).toEqual({ key: 'a.test', host: 'a.test', port: 80 })
    expect(of('http://a.test/2#y')).toBe(of('http://a.test'))
  })

  it('differs by scheme, port and name', () => {
    expect(of('https://a.test/1')).toEqual({ key: 'a.test', host: 'a.test', port: 443 })
    expect(of('http://a.test:8080/1')).toEqual({ key: 'a.test:8080', host: 'a.test', port: 8080 })
    expect(of('http://[::1]:81/1')).toEqual({ key: '[::1]:81', host: '::1', port: 81 })
    expect(of('http://a.test.b.test?a.test')).toMatchObject({ host: 'a.test.b.test' })
  })
})
