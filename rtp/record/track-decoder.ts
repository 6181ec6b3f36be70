/** What a recording needs to know of a codec, for packets in their order. */
interface TrackCodec {
  /** Units of the RTP timestamp a second. */
  readonly clockRate: number
  /** Bytes. */
  readonly longestPayload: number
  /** Timestamp units that a payload lasts; 0 for rubbish. */
  unitsIn(payload: Uint8Array, from: number, length: number): number
}

/** One stream's payloads as samples at 8,000 Hz; every piece of the stream goes through one of the first three. */
export interface TrackDecoder {
  /** Payloads of this type are to be decoded soon: some decoders take a moment to be made. */
  prepare(payloadType: number): void
  /**
   * Decodes a payload into `pcm[at]` on, where there is room for 120 ms. Returns the samples; 0 for what is no audio.
   * After a loss, what was concealed just before `pcm[at]` is led up to it.
   */
  frameInto(pcm: Int16Array, at: number, payloadType: number, payload: Uint8Array, from: number, length: number): number
  /** Hides a loss of `count` samples. */
  concealInto(pcm: Int16Array, at: number, count: number): void
  /** Silence that the remote meant. */
  silenceInto(pcm: Int16Array, at: number, count: number): void
  free(): void
}

/** The codecs of one session, by payload type as agreed on. */
export interface TrackCodecs {
  codecOf(payloadType: number): TrackCodec | undefined
  /** A decoder with a state of its own. */
  decoder(): TrackDecoder
}
