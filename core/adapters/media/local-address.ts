import { networkInterfaces } from 'node:os'

const loopback = '127.0.0.1'
const ipv6Loopback = /^\[?::1\]?$/

export const isIpv4 = (address: string | undefined): address is string => address?.includes(':') === false

const bitsOf = (address: string): number =>
  address.split('.').reduce((bits, part) => ((bits << 8) | (Number(part) & 255)) >>> 0, 0)

const ownAddresses = () =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family }) => family === 'IPv4')

/** All IPv4 addresses of ours but loopback. */
export const outsideAddresses = (): readonly string[] =>
  ownAddresses()
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

/**
 * The IPv4 address of ours in the peer's network, else the first that is not loopback: for when the routing table's
 * answer is not known.
 */
export const nearestAddress = (remote: string | undefined): string => {
  if (remote !== undefined && (remote.startsWith('127.') || ipv6Loopback.test(remote))) return loopback
  const own = ownAddresses()
  if (isIpv4(remote)) {
    const near = own.find(({ address, netmask }) => ((bitsOf(address) ^ bitsOf(remote)) & bitsOf(netmask)) === 0)
    if (near !== undefined) return near.address
  }
  return own.find(({ internal }) => !internal)?.address ?? loopback
}
