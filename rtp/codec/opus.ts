/** What a frame of ours lasts; for remotes that ask for longer packets several go out in one. */
export const opusFrameMs = 20
/** RFC 6716 §3.2.5: 120 ms. */
const mostUnits = 5760
/** 48,000ths by configuration number: SILK, hybrid, CELT (RFC 6716 table 2). */
const silkUnits = Uint16Array.of(480, 960, 1920, 2880)
const hybridUnits = Uint16Array.of(480, 960)
const celtUnits = Uint16Array.of(120, 240, 480, 960)

/** 20 ms of digital silence, the same for every decoder: the CELT frame that only says so (RFC 6716 §4.3). */
export const opusSilence = Uint8Array.of(0xf8, 0xff, 0xfe)

/**
 * Writes that silence for a packet of `units`, a multiple of 2.5 ms and at most 120 ms, in as few frames as can be.
 * Returns its bytes.
 */
export const opusSilenceInto = (into: Uint8Array, at: number, units: number): number => {
  let size = 3
  while (size > 0 && units % celtUnits[size]! !== 0) size--
  const frames = units / celtUnits[size]!
  const first = 0xe0 | (size << 3)
  let end = at
  into[end++] = frames === 1 ? first : first | 3
  if (frames > 1) into[end++] = frames
  for (let i = 0; i < frames; i++) {
    into[end++] = opusSilence[1]!
    into[end++] = opusSilence[2]!
  }
  return end - at
}

// |  config  |s| c |   RFC 6716 §3.1, the first byte of a packet; c: 0 = one frame, 1 and 2 = two, 3 = reported by the next
/** 48,000ths of a second that each frame of a packet lasts which begins with this byte. */
export const opusFrameUnitsOf = (first: number): number => {
  const config = first >> 3
  return config < 12 ? silkUnits[config & 3]! : config < 16 ? hybridUnits[config & 1]! : celtUnits[config & 3]!
}

/** 48,000ths of a second that a packet lasts; 0 for what is no packet. */
export const opusUnitsIn = (payload: Uint8Array, from: number, length: number): number => {
  if (length < 1) return 0
  const units = opusFrameUnitsOf(payload[from]!)
  const kind = payload[from]! & 3
  const frames = kind === 0 ? 1 : kind < 3 ? 2 : length < 2 ? 0 : payload[from + 1]! & 0x3f
  return units * frames > mostUnits ? 0 : units * frames
}

/**
 * A packet repairs the loss of the one before: the flag of low bit-rate redundancy (RFC 6716 §4.2.4), the bit after those
 * of voice activity, one a frame of 20 ms. Only the first frame is looked at; CELT has none.
 */
export const isOpusRepair = (payload: Uint8Array, from: number, length: number): boolean => {
  const config = payload[from]! >> 3
  if (length < 2 || config >= 16 || (payload[from]! & 3) !== 0) return false
  const frames = Math.max(1, Math.floor(opusUnitsIn(payload, from, length) / 960))
  return (payload[from + 1]! & (0x80 >> frames)) !== 0
}

/** RFC 6716 §3.4, RFC 7587 §3.1.3: a packet of one or two bytes means that its sender is silent (DTX). */
export const isOpusDtx = (length: number): boolean => length <= 2

/** The loss from which the bitrate falls no further: with less, libopus would leave out the repair that losses need. */
const heavyLossPercent = 10
const leastBitrateShare = 0.8

/** The part of its bitrate that a stream keeps at this loss (0 to 100): a lower bitrate may relieve a congested path. */
export const bitrateShareOf = (lossPercent: number): number =>
  1 - (1 - leastBitrateShare) * Math.min(1, Math.max(0, lossPercent) / heavyLossPercent)

export type OpusRate = 8000 | 16_000 | 24_000 | 48_000

export interface OpusEncoderSettings {
  /** Rate of the samples that it takes. */
  readonly sampleRate: OpusRate
  /** Bits a second. */
  readonly bitrate: number
  /** Put what a lost packet needs into the next one, once losses are reported. */
  readonly fec: boolean
  /** Send nothing during silence (DTX). */
  readonly dtx: boolean
  /** For speech in a call, or for whatever a file may hold. Default speech. */
  readonly anySound?: boolean
}

/** One stream's encoder: frames of 20 ms. */
export interface OpusEncoder {
  /** Encodes `count` samples from `pcm[from]` on into `into[at]` on. Returns the bytes written; 0 = could not. */
  encodeInto(into: Uint8Array, at: number, pcm: Int16Array, from: number, count: number): number
  /** Loss that the remote reports, 0 to 100: the higher it is, the more bits go to error correction. */
  tune(lossPercent: number): void
  free(): void
}

/** One stream's decoder. Nothing throws; rubbish gives 0 samples. */
export interface OpusDecoder {
  decodeInto(pcm: Int16Array, at: number, payload: Uint8Array, from: number, length: number): number
  /** `count` samples of what was lost just before this packet, from what it holds for repair. */
  recoverInto(pcm: Int16Array, at: number, count: number, payload: Uint8Array, from: number, length: number): number
  /** Conceals `count` samples, a multiple of 2.5 ms. */
  concealInto(pcm: Int16Array, at: number, count: number): number
  free(): void
}

/**
 * Makes coders. One that was used is never given to another stream: it would begin with the state of the last one.
 * `done` comes at once or a moment later, with nothing when there is no memory left; who got one frees it.
 */
export interface OpusCoders {
  encoder(settings: OpusEncoderSettings, done: (encoder: OpusEncoder | undefined) => void): void
  decoder(sampleRate: OpusRate, done: (decoder: OpusDecoder | undefined) => void): void
}
