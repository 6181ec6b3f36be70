/** One direction's coder of a stream: 16-bit samples to bytes. Those that keep state are made one a stream. */
export interface AudioEncoder {
  /** Encodes `count` samples from `pcm[from]` on into `into[at]` on. Returns the bytes written. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number
}

/** The other way. Nothing throws on bytes from the network. */
export interface AudioDecoder {
  /** Decodes `length` bytes from `payload[from]` on into `pcm[at]` on. Returns the samples written, 0 for rubbish. */
  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number
}

/** A coder without state, for both directions of every stream. Nothing allocates. */
export interface AudioCodec extends AudioEncoder, AudioDecoder {
  /** The encoding name of SDP's rtpmap: `PCMU`. */
  readonly name: string
  /** The static payload type (RFC 3551 §6). */
  readonly payloadType: number
  /** Units of the RTP timestamp a second. */
  readonly clockRate: number
  /** Samples of `pcm` a second. */
  readonly sampleRate: number
  /** Samples that `decodeInto` will make of this payload, without decoding. */
  samplesIn(payload: Uint8Array, from: number, length: number): number
}
