import { ipv6Addresses, isIpv6, parseAddress } from './address.ts'
import { parseIpv6 } from './ipv6-text.ts'

/**
 * A network as numbers: an IPv4 address belongs to it when its bits under the mask are `network`, one of IPv6 when its first
 * `prefixLength` bits are those of `words`.
 */
export type NetworkRange =
  | { readonly network: number; readonly mask: number }
  | { readonly words: Int32Array; readonly prefixLength: number }

/** `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`; undefined for anything else. */
export const parseNetworkRange = (text: string): NetworkRange | undefined => {
  const [host = '', length, more] = text.split('/')
  const isSix = host.includes(':')
  const prefixLength = length === undefined ? (isSix ? 128 : 32) : Number(length)
  if (more !== undefined || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined
  if (prefixLength > (isSix ? 128 : 32)) return undefined
  if (isSix) {
    const words = parseIpv6(host)
    return words && { words, prefixLength }
  }
  const address = parseAddress(host)
  return address === undefined ? undefined : around4(address, prefixLength)
}

/** JavaScript shifts by the low five bits of the distance: a shift by 32 would leave all bits. */
const maskOf = (prefixLength: number): number => (prefixLength === 0 ? 0 : -1 << (32 - prefixLength))

const around4 = (address: number, prefixLength: number): NetworkRange => {
  const mask = maskOf(prefixLength)
  return { network: address & mask, mask }
}

/** The network of that many bits that the address is in; undefined for an IPv6 address that is forgotten. */
export function rangeAround(
  address: number,
  prefixLengths: { readonly ipv4: number; readonly ipv6: number },
): NetworkRange | undefined {
  if (!isIpv6(address)) return around4(address, prefixLengths.ipv4)
  const words = ipv6Addresses.wordsOf(address)
  return words && { words: words.slice(), prefixLength: prefixLengths.ipv6 }
}

export function isInRange(address: number, range: NetworkRange): boolean {
  if ('mask' in range) return !isIpv6(address) && (address & range.mask) === range.network
  const words = isIpv6(address) ? ipv6Addresses.wordsOf(address) : undefined
  if (words === undefined) return false
  for (let at = 0, left = range.prefixLength; left > 0; at++, left -= 32)
    if (((words[at]! ^ range.words[at]!) & maskOf(Math.min(left, 32))) !== 0) return false
  return true
}

const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]
  .map(parseNetworkRange)
  .filter(range => range !== undefined)

/** RFC 1918, RFC 6598, RFC 4193, loopback and link-local: such an address in SDP says nothing outside of its own network. */
export const isPrivateAddress = (address: number): boolean => privateRanges.some(range => isInRange(address, range))
