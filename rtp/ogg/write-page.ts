import { oggChecksum, oggHeadLength } from './page.ts'

/** Segments of a page, and bytes of each (RFC 3533 §6). */
export const oggMaxSegments = 255
const segmentBytes = 255
export const oggMaxPageLength = oggHeadLength + oggMaxSegments + oggMaxSegments * segmentBytes

/** Segments that a packet takes; one that fills its last segment is ended by an empty one. */
export const oggSegmentsOf = (packetLength: number): number => Math.floor(packetLength / segmentBytes) + 1

interface OggPageFields {
  readonly flags: number
  /** Position of the last sample that ends on the page, in 48,000ths of a second. */
  readonly position: number
  readonly serial: number
  readonly sequence: number
}

/**
 * Writes a page of whole packets over the beginning of `into`. `lengths` of the packets, the first `count` of them, which
 * lie one after the other in `content`; together they must fit into `oggMaxSegments`. Returns the page's length.
 */
export const writeOggPage = (
  into: Uint8Array,
  fields: OggPageFields,
  content: Uint8Array,
  lengths: ArrayLike<number>,
  count: number,
): number => {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength)
  into.set([0x4f, 0x67, 0x67, 0x53, 0, fields.flags])
  view.setUint32(6, fields.position >>> 0, true)
  view.setUint32(10, Math.floor(fields.position / 0x1_0000_0000), true)
  view.setUint32(14, fields.serial, true)
  view.setUint32(18, fields.sequence, true)
  let at = oggHeadLength
  let bytes = 0
  for (let packet = 0; packet < count; packet++) {
    let left = lengths[packet]!
    bytes += left
    for (; left >= segmentBytes; left -= segmentBytes) into[at++] = segmentBytes
    into[at++] = left
  }
  into[26] = at - oggHeadLength
  into.set(content.subarray(0, bytes), at)
  const length = at + bytes
  view.setUint32(22, oggChecksum(into, 0, length), true)
  return length
}
