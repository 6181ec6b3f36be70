import { networkInterfaces } from 'node:os'
import type { OpenCommand } from './engine-words.ts'
import type { RtpMediaOptions } from './rtp-media-options.ts'

/** How two sessions of this switch reach each other. */
const amongUs = '127.0.0.1'
const anyAddress = '0.0.0.0'
/** Candidates for a browser, which checks each of them with each of its own. */
const mostCandidates = 4

export type AddressOptions = Pick<RtpMediaOptions, 'settings' | 'bindAddress' | 'localAddressFor'>

/**
 * Where a leg's media is reached. `remote`: the address that its offer names. A plain leg gets the first; a browser's
 * leg all of them, the nearest first: one, unless media is bound to all addresses and no external one is set. All are
 * IPv4, as media is, also of a leg whose SIP goes over IPv6.
 */
export function ownAddresses(
  open: OpenCommand,
  remote: string | undefined,
  options: AddressOptions,
): readonly [first: string, ...more: string[]] {
  if (open.onNet === true) return [amongUs]
  const { settings, localAddressFor, bindAddress } = options
  if (isIpv4(settings.externalAddress)) return [settings.externalAddress]
  if (bindAddress !== undefined && bindAddress !== anyAddress) return [bindAddress]
  // A browser that trickles, or hides its addresses, names none.
  const peer = remote === anyAddress ? open.toward : (remote ?? open.toward)
  const local = peer === undefined ? undefined : localAddressFor(peer)
  const nearest = isIpv4(local) ? local : nearestAddress(peer)
  const others = outsideAddresses().filter(address => address !== nearest)
  return [nearest, ...others.slice(0, mostCandidates - 1)]
}

const loopback = '127.0.0.1'
const ipv6Loopback = /^\[?::1\]?$/

const isIpv4 = (address: string | undefined): address is string => address?.includes(':') === false

const bitsOf = (address: string): number =>
  address.split('.').reduce((bits, part) => ((bits << 8) | (Number(part) & 255)) >>> 0, 0)

const interfaces = () =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family }) => family === 'IPv4')

/** All IPv4 addresses of ours but loopback. */
const outsideAddresses = (): readonly string[] =>
  interfaces()
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

/**
 * The IPv4 address of ours in the peer's network, else the first that is not loopback: for when the routing table's
 * answer is not known.
 */
const nearestAddress = (remote: string | undefined): string => {
  if (remote !== undefined && (remote.startsWith('127.') || ipv6Loopback.test(remote))) return loopback
  const own = interfaces()
  if (isIpv4(remote)) {
    const near = own.find(({ address, netmask }) => ((bitsOf(address) ^ bitsOf(remote)) & bitsOf(netmask)) === 0)
    if (near !== undefined) return near.address
  }
  return own.find(({ internal }) => !internal)?.address ?? loopback
}
