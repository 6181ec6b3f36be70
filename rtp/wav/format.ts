/** How samples lie in a WAV file: little-endian integers (8 bits: without sign), floats, or G.711. */
export type WavEncoding = 'pcm8' | 'pcm16' | 'pcm24' | 'pcm32' | 'float32' | 'float64' | 'alaw' | 'mulaw'

/** How the samples of a file are coded. */
export interface WavFormat {
  readonly encoding: WavEncoding
  /** Frames a second. */
  readonly sampleRate: number
  readonly channels: number
}

export const bytesPerSample = {
  pcm8: 1,
  pcm16: 2,
  pcm24: 3,
  pcm32: 4,
  float32: 4,
  float64: 8,
  alaw: 1,
  mulaw: 1,
} as const satisfies Record<WavEncoding, number>

/** Bytes of one sample of each channel. */
export const frameLengthOf = (format: WavFormat): number => bytesPerSample[format.encoding] * format.channels

const pieceFrames = 4096
const pieceBytes = 64 * 1024

/**
 * Frames that are decoded at a time; between two pieces a thread goes on with its ticks. So many resample in well under a
 * tick; of many channels or wide samples fewer are decoded in the same time.
 */
export const framesInPiece = (format: WavFormat): number =>
  Math.min(pieceFrames, Math.floor(pieceBytes / frameLengthOf(format)))

/** Format tags (RFC 2361, and WAVE_FORMAT_EXTENSIBLE whose real tag begins its GUID). */
export const tagPcm = 1
export const tagFloat = 3
export const tagALaw = 6
export const tagMuLaw = 7
export const tagExtensible = 0xfffe
