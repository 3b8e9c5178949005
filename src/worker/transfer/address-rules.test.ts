import { describe, expect, it } from 'vitest'
import { blockedPorts, classifyAddress } from './address-rules.ts'

describe('addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::a00:1',
    '2002:7f00:1::1',
    'not an address',
  ])('B27 %s is private', (address) => {
    expect(classifyAddress(address)).toBe('private')
  })

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1', '::ffff:8.8.8.8', '64:ff9b::808:808'])(
    '%s is public',
    (address) => {
      expect(classifyAddress(address)).toBe('public')
    },
  )

  it('B28 no link has business at the ports of other services', () => {
    for (const port of [22, 25, 6379, 3306, 5432]) expect(blockedPorts.has(port)).toBe(true)
    for (const port of [80, 443, 8080, 8443, 3000]) expect(blockedPorts.has(port)).toBe(false)
  })
})
