/**
 * One direction's coder of a stream; those that keep state (Opus) are made one per stream, G.711's are shared.
 * Nothing throws on bytes from the network, nothing allocates.
 */
export interface AudioCodec {
  /** The encoding name of SDP's rtpmap: `PCMU`. */
  readonly name: string
  /** The static payload type (RFC 3551 §6); undefined = dynamic, the session's SDP says. */
  readonly payloadType: number | undefined
  /** Units of the RTP timestamp a second. G.722 differs from its sample rate. */
  readonly clockRate: number
  /** Samples of `pcm` a second. */
  readonly sampleRate: number
  /** Encodes `count` samples from `pcm[from]` on into `into[at]` on. Returns the bytes written. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number
  /** Decodes `length` bytes from `payload[from]` on into `pcm[at]` on. Returns the samples written, 0 for rubbish. */
  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number
  /** Samples that `decodeInto` will make of this payload, without decoding. */
  samplesIn(payload: Uint8Array, from: number, length: number): number
}
