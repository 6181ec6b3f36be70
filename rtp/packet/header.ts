//  0                   1                   2                   3
//  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
// |V=2|P|X|  CC   |M|     PT      |       sequence number         |
// |                           timestamp                           |
// |                             SSRC                              |
// |                        CSRC × CC                              |   RFC 3550 §5.1
//
// Fields are read where they lie; the packet begins at `packet[0]`. Call `isRtp` first: the readers check nothing.

/** Bytes of a header without CSRCs and extension. */
export const headerLength = 12
/** Larger datagrams are dropped: no media that we take comes near, and slots are cut to this size. */
export const maxPacketLength = 1500

/** Where the payload begins, taking CSRCs and the header extension into account; may lie past the end. */
export const payloadOffsetOf = (packet: Uint8Array): number => {
  const first = packet[0]!
  const fixed = headerLength + ((first & 0x0f) << 2)
  if ((first & 0x10) === 0) return fixed
  return fixed + 4 + (((packet[fixed + 2]! << 8) | packet[fixed + 3]!) << 2)
}

/** Bytes of padding at the end, as the last byte says; 0 without the P bit. */
const paddingOf = (packet: Uint8Array, length = packet.length): number =>
  (packet[0]! & 0x20) === 0 ? 0 : packet[length - 1]!

/** Bytes of payload of a packet that `isRtp`. */
export const payloadLengthOf = (packet: Uint8Array, length = packet.length): number =>
  length - payloadOffsetOf(packet) - paddingOf(packet, length)

/**
 * True when the first `length` bytes are an RTP packet whose CSRC list, header extension and padding lie inside it.
 * RFC 3550 §5.1: padding counts itself, so a P bit with a count of zero is not valid.
 */
export const isRtp = (packet: Uint8Array, length = packet.length): boolean => {
  if (length < headerLength || length > maxPacketLength || length > packet.length) return false
  const first = packet[0]!
  if (first >> 6 !== 2) return false
  const fixed = headerLength + ((first & 0x0f) << 2)
  if (fixed + ((first & 0x10) === 0 ? 0 : 4) > length) return false
  const room = length - payloadOffsetOf(packet)
  if (room < 0) return false
  if ((first & 0x20) === 0) return true
  const padding = packet[length - 1]!
  return padding !== 0 && padding <= room
}

/** The marker bit: of audio, the first packet after silence (RFC 3551 §4.1). */
export const markerOf = (packet: Uint8Array): boolean => (packet[1]! & 0x80) !== 0
/** The payload type, 0 to 127. */
export const payloadTypeOf = (packet: Uint8Array): number => packet[1]! & 0x7f
/** The sequence number, 0 to 65,535; `sequenceDelta` compares two. */
export const sequenceOf = (packet: Uint8Array): number => (packet[2]! << 8) | packet[3]!
/** The timestamp, 32 bits without sign, in units of the payload's clock. */
export const timestampOf = (packet: Uint8Array): number =>
  ((packet[4]! << 24) | (packet[5]! << 16) | (packet[6]! << 8) | packet[7]!) >>> 0
/** The source (SSRC), 32 bits without sign. */
export const ssrcOf = (packet: Uint8Array): number =>
  ((packet[8]! << 24) | (packet[9]! << 16) | (packet[10]! << 8) | packet[11]!) >>> 0

/** Marker and payload type, the second byte of the header. */
const setPayloadType = (packet: Uint8Array, payloadType: number, marker: boolean): void => {
  packet[1] = (marker ? 0x80 : 0) | (payloadType & 0x7f)
}
const setSequence = (packet: Uint8Array, sequence: number): void => {
  packet[2] = sequence >>> 8
  packet[3] = sequence
}
export const setTimestamp = (packet: Uint8Array, timestamp: number): void => {
  packet[4] = timestamp >>> 24
  packet[5] = timestamp >>> 16
  packet[6] = timestamp >>> 8
  packet[7] = timestamp
}
export const setSsrc = (packet: Uint8Array, ssrc: number): void => {
  packet[8] = ssrc >>> 24
  packet[9] = ssrc >>> 16
  packet[10] = ssrc >>> 8
  packet[11] = ssrc
}

/** The fields of an RTP header (RFC 3550 §5.1): `sequence` of 16 bits, `timestamp` in units of the payload's clock and `ssrc` of 32. */
export interface RtpFields {
  readonly payloadType: number
  readonly marker: boolean
  readonly sequence: number
  readonly timestamp: number
  readonly ssrc: number
}

/** Writes a header of 12 bytes without CSRC, extension or padding; returns its length. `into` must have room. */
export const writeHeader = (into: Uint8Array, fields: RtpFields): number => {
  into[0] = 0x80
  setPayloadType(into, fields.payloadType, fields.marker)
  setSequence(into, fields.sequence)
  setTimestamp(into, fields.timestamp)
  setSsrc(into, fields.ssrc)
  return headerLength
}

/** The same in place for a packet that is passed on: the remote sees one stream of ours. Payload and rest untouched. */
export const rewriteHeader = (
  packet: Uint8Array,
  payloadType: number,
  marker: boolean,
  sequence: number,
  timestamp: number,
  ssrc: number,
): void => {
  setPayloadType(packet, payloadType, marker)
  setSequence(packet, sequence)
  setTimestamp(packet, timestamp)
  setSsrc(packet, ssrc)
}
