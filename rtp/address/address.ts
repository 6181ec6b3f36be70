import { Ipv6Table, isIpv6 } from './ipv6-table.ts'
import { formatIpv6, parseIpv6 } from './ipv6-text.ts'

export { isIpv6 } from './ipv6-table.ts'

/** Of this thread: a number of class E means nothing in another one. */
export const ipv6Addresses = new Ipv6Table()

/** `127.0.0.1` or `2001:db8::1` → a signed 32-bit integer; undefined for anything else. */
export const parseAddress = (text: string): number | undefined =>
  text.includes(':') ? parseSix(text) : parseFour(text)

const parseFour = (text: string): number | undefined => {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8) | Number(part)
  }
  // Reserved, and here the numbers of IPv6 addresses.
  return isIpv6(value) ? undefined : value
}

const parseSix = (text: string): number | undefined => {
  const words = parseIpv6(text)
  if (words === undefined) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = words
  return ipv6Addresses.numberOf(a, b, c, d)
}

/** Empty for an IPv6 address that the table has forgotten. */
export const formatAddress = (address: number): string => {
  if (!isIpv6(address)) return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
  const words = ipv6Addresses.wordsOf(address)
  return words === undefined ? '' : formatIpv6(words)
}

/** `192.0.2.1:4000`, `[2001:db8::1]:4000`. */
export const formatPlace = (address: number, port: number): string =>
  isIpv6(address) ? `[${formatAddress(address)}]:${port}` : `${formatAddress(address)}:${port}`

/**
 * Media goes to one host: not to `0.0.0.0` or `::` (hold of RFC 2543), a multicast group or the broadcast address, nor to
 * an IPv4 address that is written as one of IPv6 (`::ffff:192.0.2.1`).
 */
export const isUnicast = (address: number): boolean => {
  if (isIpv6(address)) return ipv6Addresses.isUnicast(address)
  return address >>> 24 !== 0 && address >>> 28 < 0xe
}
