/** An IP literal as bytes; what is none becomes 0.0.0.0. */
export function addressBytes(text: string): Uint8Array {
  const plain = text.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+\.)/, '')
  const parts = plain.split('.').map(Number)
  if (parts.length === 4 && parts.every(part => part >= 0 && part <= 255)) return Uint8Array.from(parts)
  if (!/^[0-9a-f:]+$/i.test(plain) || !plain.includes(':')) return new Uint8Array(4)
  const [head = '', tail] = plain.split('::')
  const groups = (side: string): number[] =>
    side === '' ? [] : side.split(':').map(group => Number.parseInt(group, 16))
  const before = groups(head)
  const after = tail === undefined ? [] : groups(tail)
  const all = [...before, ...new Array<number>(Math.max(0, 8 - before.length - after.length)).fill(0), ...after]
  return Uint8Array.from(all.slice(0, 8).flatMap(group => [group >> 8, group & 0xff]))
}

/** Beside an address of IPv6, as an external address may be, one of IPv4 is mapped (RFC 4291 §2.5.5.2). */
export const oneFamily = (one: Uint8Array, other: Uint8Array): readonly [Uint8Array, Uint8Array] =>
  one.length === other.length ? [one, other] : [as6(one), as6(other)]
const as6 = (address: Uint8Array): Uint8Array =>
  address.length === 16 ? address : Uint8Array.from([...new Uint8Array(10), 255, 255, ...address])

/** A datagram and its heads hold no more of what came by TCP. */
export const mostPayload = 65_000

export interface Endpoints {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly fromPort: number
  readonly toPort: number
}

const udp = 17
const udpHeadBytes = 8

/** An IP packet with one UDP datagram, as a capture shows it. The checksum is left out (RFC 768), which IPv6 readers only note. */
export function datagram({ fromPort, toPort, ...ends }: Endpoints, whole: Uint8Array): Uint8Array {
  const payload = whole.subarray(0, mostPayload)
  const [from, to] = oneFamily(ends.from, ends.to)
  const is6 = from.length > 4
  const headBytes = is6 ? 40 : 20
  const packet = new Uint8Array(headBytes + udpHeadBytes + payload.length)
  const view = new DataView(packet.buffer)
  const udpLength = udpHeadBytes + payload.length
  if (is6) {
    packet[0] = 0x60
    view.setUint16(4, udpLength)
    packet[6] = udp
    packet[7] = 64
    packet.set(from, 8)
    packet.set(to, 24)
  } else {
    packet[0] = 0x45
    view.setUint16(2, packet.length)
    packet[8] = 64
    packet[9] = udp
    packet.set(from, 12)
    packet.set(to, 16)
    view.setUint16(10, checksum(packet.subarray(0, 20)))
  }
  view.setUint16(headBytes, fromPort)
  view.setUint16(headBytes + 2, toPort)
  view.setUint16(headBytes + 4, udpLength)
  packet.set(payload, headBytes + udpHeadBytes)
  return packet
}

/** RFC 1071. */
function checksum(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at += 2) sum += (bytes[at]! << 8) | bytes[at + 1]!
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}
