/** `127.0.0.1` → its signed 32-bit integer; undefined for anything that is not a dotted quad. */
export const parseAddress = (text: string): number | undefined => {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8) | Number(part)
  }
  return value
}

export const formatAddress = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`

/** Media goes to one host: not to `0.0.0.0` (hold of RFC 2543), a multicast group or the broadcast address. */
export const isUnicast = (address: number): boolean => address >>> 24 !== 0 && address >>> 28 < 0xe
