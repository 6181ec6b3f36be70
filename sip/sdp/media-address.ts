import { isIpv4, isIpv6 } from '../uri/host.ts'
import type { Connection, MediaDescription, SessionDescription } from './session.ts'

/** `c=` of the stream, else of the session. */
export const connectionOf = (session: SessionDescription, media: MediaDescription): Connection | undefined =>
  media.connections[0] ?? session.connection

/**
 * What may be sent to an address of `c=`: `hold` is the zero address, with which old peers hold (RFC 3264 §8.4).
 * `refused`: multicast, broadcast and reserved ones, which would multiply what we send, and names, which would have to
 * be resolved at the request of an unknown source.
 */
export type MediaAddress = 'unicast' | 'hold' | 'refused'

/** What the address of a `c=` line is: whether it may be sent to. Names are refused, as nothing here resolves them. */
export function mediaAddress({ address, scope }: Connection): MediaAddress {
  if (scope !== undefined) return 'refused'
  if (isIpv4(address)) return ipv4Kind(address)
  if (!isIpv6(address)) return 'refused'
  if (/^[0:]+$/.test(address)) return 'hold'
  // ff00::/8 is multicast, and fe80::/10 says nothing without a zone; an embedded IPv4 address is judged as such.
  if (/^(?:ff|fe[89ab])/i.test(address) && /^[^:]{4}:/.test(address)) return 'refused'
  const embedded = address.slice(address.lastIndexOf(':') + 1)
  return embedded.includes('.') ? (ipv4Kind(embedded) === 'unicast' ? 'unicast' : 'refused') : 'unicast'
}

function ipv4Kind(address: string): MediaAddress {
  if (address === '0.0.0.0') return 'hold'
  const first = Number.parseInt(address, 10)
  return first === 0 || first >= 224 ? 'refused' : 'unicast'
}
