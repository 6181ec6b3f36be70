/** What shares a media port (RFC 7983). */
export type PacketKind = 'rtp' | 'rtcp' | 'stun' | 'dtls' | 'turn-channel' | 'unknown'

/** No datagram of any kind that we take is shorter. */
const shortestDatagram = 4

/**
 * What a datagram on a media port is, by its first two bytes (RFC 7983 §7, RFC 5761 §4). A first look only:
 * each kind's own check follows. Payload types 64–95 are never RTP: with the marker bit they would be RTCP's 192–223.
 */
export const kindOf = (packet: Uint8Array, length = packet.length): PacketKind => {
  if (length < shortestDatagram) return 'unknown'
  const first = packet[0]!
  if (first >= 128 && first <= 191) {
    const second = packet[1]!
    return second >= 192 && second <= 223 ? 'rtcp' : 'rtp'
  }
  if (first <= 3) return 'stun'
  if (first >= 20 && first <= 63) return 'dtls'
  if (first >= 64 && first <= 79) return 'turn-channel'
  return 'unknown'
}
