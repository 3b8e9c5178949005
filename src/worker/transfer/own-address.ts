/** Whether an address is one of this machine: what listens there on the host's own port is the host. */
import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

const always = new BlockList()
always.addSubnet('127.0.0.0', 8, 'ipv4')
always.addAddress('0.0.0.0', 'ipv4')
always.addAddress('::', 'ipv6')
always.addAddress('::1', 'ipv6')

/** `address` in any form that can be connected to. */
export function isOwnAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  const family = isIP(bare)
  if (family === 0) return bare === 'localhost' || bare.endsWith('.localhost')
  const own = new BlockList()
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) {
      own.addAddress(entry.address.replace(/%.*$/, ''), entry.family === 'IPv6' ? 'ipv6' : 'ipv4')
    }
  }
  const name = family === 6 ? 'ipv6' : 'ipv4'
  // A list of IPv4 addresses knows those that are mapped into IPv6, too.
  return always.check(bare, name) || own.check(bare, name)
}
