/** Which addresses and ports a transfer may reach. Pure; the connected address counts, never the name. */
import { BlockList, isIP } from 'node:net'

export type AddressClass = 'public' | 'private'
export type AddressClassifier = (address: string) => AddressClass

const privateRanges = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv6')
}

/** IPv4 addresses that travel inside IPv6 ones: mapped, 6to4 and NAT64 are judged by what they lead to. */
function embeddedIpv4(address: string): string | null {
  const dotted = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (dotted?.[1] !== undefined) return dotted[1]
  const hex =
    /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/i.exec(address)
  if (hex?.[1] === undefined || hex[2] === undefined) return null
  const [high, low] = [Number.parseInt(hex[1], 16), Number.parseInt(hex[2], 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Loopback, link-local, private, shared, multicast and unspecified addresses are `private`. */
export function classifyAddress(address: string): AddressClass {
  const bare = address.replace(/%.*$/, '')
  const inner = embeddedIpv4(bare)
  if (inner !== null) return classifyAddress(inner)
  const family = isIP(bare)
  if (family === 0) return 'private'
  return privateRanges.check(bare, family === 4 ? 'ipv4' : 'ipv6') ? 'private' : 'public'
}

/** Ports of well-known services that are not HTTP; no link has business there. */
export const blockedPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3306, 3389, 3659, 4045, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080,
  11211, 27017,
])
