const hex = Array.from({ length: 256 }, (_, octet) => octet.toString(16).padStart(2, '0'))

/**
 * A UUID that begins with the time (RFC 9562 §5.7), from 10 random octets. Rows with such keys lie in the order in which they
 * were made: those of calls that begin together share pages of the database's indices, where random keys touch a page each.
 */
export function uuidV7(unixMs: number, random: Uint8Array): string {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, j = 0] = random
  const time = unixMs.toString(16).padStart(12, '0')
  const versioned = hex[0x70 | (a & 0x0f)]! + hex[b]
  const variant = hex[0x80 | (c & 0x3f)]! + hex[d]
  const node = hex[e]! + hex[f] + hex[g] + hex[h] + hex[i] + hex[j]
  return `${time.slice(0, 8)}-${time.slice(8)}-${versioned}-${variant}-${node}`
}
