export interface RtpOptions {
  readonly payloadType?: number
  readonly sequence?: number
  readonly timestamp?: number
  readonly ssrc?: number
  readonly marker?: boolean
}

export const rtp = (payload: Uint8Array, options: RtpOptions = {}): Uint8Array => {
  const packet = new Uint8Array(12 + payload.length)
  const view = new DataView(packet.buffer)
  packet[0] = 0x80
  packet[1] = (options.marker === true ? 0x80 : 0) | (options.payloadType ?? 0)
  view.setUint16(2, options.sequence ?? 0)
  view.setUint32(4, options.timestamp ?? 0)
  view.setUint32(8, options.ssrc ?? 0xabcd)
  packet.set(payload, 12)
  return packet
}

/** What a packet says that went at `at`. */
export const fieldsOf = ({ bytes, at }: { readonly bytes: Uint8Array; readonly at: number }) => {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return {
    at,
    marker: bytes[1]! > 127,
    payloadType: bytes[1]! & 127,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: bytes.subarray(12),
  }
}

/** A frame that differs from every other. */
export const frame = (n: number, length = 160): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (n * 31 + i * 7 + ((n * i) >> 3)) & 0xff)
