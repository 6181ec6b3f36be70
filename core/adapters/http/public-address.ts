import { BlockList, isIP } from 'node:net'

/** IPv4 that is not the public Internet's: the special-purpose registry of RFC 6890, and multicast. */
const refused4: readonly [network: string, bits: number][] = [
  ['0.0.0.0', 8], // this host, RFC 1122 §3.2.1.3
  ['10.0.0.0', 8], // private, RFC 1918
  ['100.64.0.0', 10], // carrier-grade NAT, RFC 6598
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and clouds' metadata services
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments, RFC 6890
  ['192.0.2.0', 24], // documentation, RFC 5737
  ['192.88.99.0', 24], // 6to4 relays, RFC 7526
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks, RFC 2544
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
]

/**
 * Only 2000::/3 is handed out as public, and of it these are not. What is outside falls with it: ::, ::1, mapped and
 * compatible IPv4 (::ffff:0:0/96, ::/96), NAT64 (64:ff9b::/96 and 64:ff9b:1::/48), unique-local, link-local, multicast.
 */
const refused6: readonly [network: string, bits: number][] = [
  ['2001::', 23], // protocol assignments: Teredo, ORCHID, benchmarks
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4 carries an IPv4 address
  ['3fff::', 20], // documentation, RFC 9637
]

const public6 = new BlockList()
public6.addSubnet('2000::', 3, 'ipv6')

const special4 = new BlockList()
for (const [network, bits] of refused4) special4.addSubnet(network, bits, 'ipv4')
const special6 = new BlockList()
for (const [network, bits] of refused6) special6.addSubnet(network, bits, 'ipv6')

/** Whether an IP address, as text, belongs to the public Internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  // A scope (fe80::1%eth0) is only ever given to addresses of the link.
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && public6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
    default:
      return false
  }
}
