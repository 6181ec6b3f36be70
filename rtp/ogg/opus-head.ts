/** What the first two packets of a stream of Opus say (RFC 7845 §5). */
export interface OpusStream {
  readonly channels: 1 | 2
  /** 48,000ths of a second at the beginning that are not to be played. */
  readonly preSkip: number
  /** Rate of what was encoded, Hz; for people, decoders choose their own. */
  readonly inputRate: number
}

const ascii = (text: string): Uint8Array => Uint8Array.from(text, letter => letter.charCodeAt(0))

//  "OpusHead" | version | channels | pre-skip (2) | input rate (4) | output gain (2) | mapping family …   RFC 7845 §5.1
/**
 * Two channels are two separate streams, left and right (family 1 without coupling): libopus codes a coupled pair as
 * middle and side, and then each of two people is faintly audible on the other's channel.
 */
export const opusHead = (stream: OpusStream): Uint8Array => {
  const head = new Uint8Array(stream.channels === 1 ? 19 : 23)
  const view = new DataView(head.buffer)
  head.set(ascii('OpusHead'))
  head[8] = 1
  head[9] = stream.channels
  view.setUint16(10, stream.preSkip, true)
  view.setUint32(12, stream.inputRate, true)
  // Family | streams | coupled ones | stream of each channel (§5.1.1).
  if (stream.channels === 2) head.set([1, 2, 0, 0, 1], 18)
  return head
}

//  "OpusTags" | length of vendor (4) | vendor | number of comments (4)   RFC 7845 §5.2
export const opusTags = (vendor: string): Uint8Array => {
  const name = ascii(vendor)
  const tags = new Uint8Array(16 + name.length)
  tags.set(ascii('OpusTags'))
  new DataView(tags.buffer).setUint32(8, name.length, true)
  tags.set(name, 12)
  return tags
}
