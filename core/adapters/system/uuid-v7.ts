const digits = Buffer.from('0123456789abcdef')
/** A UUID is put together here: its dashes stand already. */
const text = Buffer.alloc(36, '-')
const octets = Buffer.alloc(16)
/** Where the two digits of each octet stand. */
const places = Uint8Array.of(0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34)

/**
 * A UUID that begins with the time (RFC 9562 §5.7), from the 10 random octets at `from`. Rows with such keys lie in the order
 * in which they were made: those of calls that begin together share pages of the database's indices, where random keys touch a
 * page each. A call takes some twenty: each leaves one string, where one put together of parts leaves all of them.
 */
export function uuidV7(unixMs: number, random: Uint8Array, from = 0): string {
  octets.writeUIntBE(unixMs, 0, 6)
  for (let at = 0; at < 10; at++) octets[6 + at] = random[from + at]!
  octets[6] = 0x70 | (octets[6]! & 0x0f)
  octets[8] = 0x80 | (octets[8]! & 0x3f)
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!
    const place = places[at]!
    text[place] = digits[octet >> 4]!
    text[place + 1] = digits[octet & 0x0f]!
  }
  return text.toString('latin1')
}
