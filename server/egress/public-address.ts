// Which addresses a request of somebody else's choosing may go to: those of the public internet. Everything that is this
// machine, its network, a cloud's metadata service or no place at all is refused.
import { BlockList, isIP } from 'node:net'

const refused = new BlockList()
// IANA's special-purpose registries: not globally reachable, or reachable only as something else.
const V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]
for (const [net, bits] of V4) refused.addSubnet(net, bits, 'ipv4')

/** Only what is given out for the public internet; within it, what carries an IPv4 address or is for documents. */
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')
const V6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]
for (const [net, bits] of V6) refused.addSubnet(net, bits, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !refused.check(address, 'ipv4')
  // An IPv4 address in IPv6's clothes lies outside the global range, and so is refused with the rest.
  return family === 6 && global6.check(address, 'ipv6') && !refused.check(address, 'ipv6')
}
