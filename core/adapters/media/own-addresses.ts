import type { OpenCommand } from './engine-words.ts'
import { isIpv4, nearestAddress, outsideAddresses } from './local-address.ts'
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
