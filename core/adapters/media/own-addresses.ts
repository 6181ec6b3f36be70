import { isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { OpenCommand } from './engine-words.ts'
import type { RtpMediaOptions } from './rtp-media-options.ts'

/** How two sessions of this switch reach each other. */
const amongUs = '127.0.0.1'
const anyAddress = '0.0.0.0'
/** Candidates for a browser, which checks each of them with each of its own. */
const mostCandidates = 4
const mostIpv6Candidates = 2

export type AddressOptions = Pick<RtpMediaOptions, 'settings' | 'bindAddress' | 'localAddressFor'>

type Addresses = readonly [first: string, ...more: string[]]

/**
 * Where a leg's media is reached. `remote`: the address that its offer names. A plain leg gets the first; a browser's
 * leg all of them, the nearest first: one, unless media is bound to all addresses and no external one is set.
 *
 * The family of a plain leg is that of the remote's media, else of what is dialled, else of where SIP came from. A browser
 * gets addresses of IPv6 where any of these is of IPv6, or an external one is. Where this machine has no address of IPv6,
 * all are of IPv4.
 */
export function ownAddresses(
  open: OpenCommand,
  remote: string | undefined,
  options: AddressOptions,
  isBrowser = false,
): Addresses {
  if (open.onNet === true) return [amongUs]
  // A browser that trickles, or hides its addresses, names none.
  const named = remote === anyAddress ? undefined : remote
  const peers = [named, open.toward, open.sources?.sip].map(plain).filter(peer => peer !== undefined)
  const peer = peers[0]
  const local = peer === undefined ? undefined : options.localAddressFor(peer)
  const four = ownIpv4(peer, local, options)
  if (!isBrowser) {
    const isSix = peer !== undefined && (isIP(peer) === 0 ? isIPv6(local ?? '') : isIPv6(peer))
    const [six] = isSix ? ownIpv6(peer, local, options) : []
    return six === undefined ? four : [six]
  }
  const peerOfSix = peers.find(isIPv6)
  const external = options.settings.externalAddresses.find(isIPv6)
  if (peerOfSix === undefined) return external === undefined ? four : [...four, external]
  const [first, ...more] = ownIpv6(peerOfSix, options.localAddressFor(peerOfSix), options)
  return first === undefined ? four : [first, ...more, ...four]
}

function ownIpv4(
  peer: string | undefined,
  local: string | undefined,
  { settings, bindAddress }: AddressOptions,
): Addresses {
  const external = settings.externalAddresses.find(address => !isIPv6(address))
  if (external !== undefined) return [external]
  if (bindAddress !== undefined && bindAddress !== anyAddress) return [bindAddress]
  const nearest = local !== undefined && !isIPv6(local) ? local : nearestAddress(peer)
  const others = outsideAddresses().filter(address => address !== nearest)
  return [nearest, ...others.slice(0, mostCandidates - 1)]
}

/**
 * The nearest first; none: this machine has none. A link-local address says nothing without a zone, which SDP has no place
 * for.
 */
function ownIpv6(peer: string, local: string | undefined, { settings }: AddressOptions): readonly string[] {
  const external = settings.externalAddresses.find(isIPv6)
  if (external !== undefined) return [external]
  const own = interfaces('IPv6').filter(({ address }) => !isLinkLocal(address))
  const outside = own.filter(({ internal }) => !internal).map(({ address }) => address)
  const known = local !== undefined && isIPv6(local) && !isLinkLocal(local) ? [local] : []
  const loopback = own.filter(({ address }) => address === ipv6Loopback && peer === ipv6Loopback)
  const nearest = [...known, ...loopback.map(({ address }) => address)]
  const others = [...outside.filter(isGlobal), ...outside.filter(address => !isGlobal(address))]
  return [...new Set([...nearest, ...others])].slice(0, mostIpv6Candidates)
}

const loopback = '127.0.0.1'
const ipv6Loopback = '::1'

const plain = (host: string | undefined): string | undefined => host?.replace(/^\[|\]$/g, '')

const isLinkLocal = (address: string): boolean => /^fe[89ab]/i.test(address)
/** 2000::/3. */
const isGlobal = (address: string): boolean => /^[23]/.test(address)

const bitsOf = (address: string): number =>
  address.split('.').reduce((bits, part) => ((bits << 8) | (Number(part) & 255)) >>> 0, 0)

const interfaces = (wanted: 'IPv4' | 'IPv6') =>
  Object.values(networkInterfaces())
    .flatMap(addresses => addresses ?? [])
    .filter(({ family }) => family === wanted)

/** All IPv4 addresses of ours but loopback. */
const outsideAddresses = (): readonly string[] =>
  interfaces('IPv4')
    .filter(({ internal }) => !internal)
    .map(({ address }) => address)

/**
 * The IPv4 address of ours in the peer's network, else the first that is not loopback: for when the routing table's
 * answer is not known.
 */
const nearestAddress = (remote: string | undefined): string => {
  if (remote !== undefined && (remote.startsWith('127.') || remote === ipv6Loopback)) return loopback
  const own = interfaces('IPv4')
  if (remote !== undefined && isIP(remote) === 4) {
    const near = own.find(({ address, netmask }) => ((bitsOf(address) ^ bitsOf(remote)) & bitsOf(netmask)) === 0)
    if (near !== undefined) return near.address
  }
  return own.find(({ internal }) => !internal)?.address ?? loopback
}
