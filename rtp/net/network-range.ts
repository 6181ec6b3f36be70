import { parseAddress } from './address.ts'

/** An IPv4 network as numbers: an address belongs to it when its bits under the mask are `network`. */
export interface NetworkRange {
  readonly network: number
  readonly mask: number
}

/** `192.0.2.1`, `192.0.2.0/24`; undefined for what is neither, IPv6 included: media is IPv4. */
export const parseNetworkRange = (text: string): NetworkRange | undefined => {
  const [host = '', length = '32', more] = text.split('/')
  const address = parseAddress(host)
  if (address === undefined || more !== undefined || !/^\d{1,2}$/.test(length) || Number(length) > 32) return undefined
  const mask = maskOf(Number(length))
  return { network: address & mask, mask }
}

/** JavaScript shifts by the low five bits of the distance: a shift by 32 would leave all bits. */
export const maskOf = (prefixLength: number): number => (prefixLength === 0 ? 0 : -1 << (32 - prefixLength))

export const isInRange = (address: number, { network, mask }: NetworkRange): boolean => (address & mask) === network

const privateRanges = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
]
  .map(parseNetworkRange)
  .filter(range => range !== undefined)

/** RFC 1918, RFC 6598, loopback and link-local: such an address in SDP says nothing outside of its own network. */
export const isPrivateAddress = (address: number): boolean => privateRanges.some(range => isInRange(address, range))
