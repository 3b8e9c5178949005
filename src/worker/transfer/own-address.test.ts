import { networkInterfaces } from 'node:os'
import { expect, it } from 'vitest'
import { isOwnAddress } from './own-address.ts'

it.each(['127.0.0.1', '127.8.9.1', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', 'localhost', 'a.localhost'])(
  'B28 %s is this machine',
  (address) => {
    expect(isOwnAddress(address)).toBe(true)
  },
)

it('B28 so is every address that it has, and no other', () => {
  for (const entries of Object.values(networkInterfaces())) {
    for (const { address } of entries ?? []) expect(isOwnAddress(address)).toBe(true)
  }
  for (const address of ['192.0.2.7', '2001:db8::7', 'h.example']) expect(isOwnAddress(address)).toBe(false)
})
