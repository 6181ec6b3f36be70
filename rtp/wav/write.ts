import { bytesPerSample, frameLengthOf, tagALaw, tagFloat, tagMuLaw, tagPcm, type WavFormat } from './format.ts'

const tags = {
  pcm8: tagPcm,
  pcm16: tagPcm,
  pcm24: tagPcm,
  pcm32: tagPcm,
  float32: tagFloat,
  float64: tagFloat,
  alaw: tagALaw,
  mulaw: tagMuLaw,
} as const

/** Other encodings than integers name their extension's length and count their frames in a chunk `fact`. */
const isPlain = (format: WavFormat): boolean => tags[format.encoding] === tagPcm

/** Bytes before the samples: 44 for integers, 58 for others. */
export const wavHeaderLengthOf = (format: WavFormat): number => (isPlain(format) ? 44 : 58)

/** The most bytes of samples that the 32-bit sizes can hold, in whole frames; a recording must stop there. */
export const maxWavDataLengthOf = (format: WavFormat): number => {
  const room = 0xffff_ffff - wavHeaderLengthOf(format)
  return room - (room % frameLengthOf(format))
}

/** Samples of an odd length are followed by one zero byte, which sizes but the RIFF chunk's do not count. */
export const wavPaddingOf = (dataLength: number): number => dataLength & 1

/**
 * The head of a file with `dataLength` bytes of samples so far, limited to the largest that it can express. Written
 * over the old head each time when samples were added, the file is valid at every instant: bytes beyond the length
 * are not played.
 */
export const wavHeader = (format: WavFormat, dataLength: number): Uint8Array => {
  const length = Math.min(dataLength, maxWavDataLengthOf(format))
  const headerLength = wavHeaderLengthOf(format)
  const header = new Uint8Array(headerLength)
  const view = new DataView(header.buffer)
  const frameLength = frameLengthOf(format)
  let at = 0
  const text = (value: string) => {
    for (const letter of value) header[at++] = letter.charCodeAt(0)
  }
  const word = (value: number) => {
    view.setUint16(at, value, true)
    at += 2
  }
  const long = (value: number) => {
    view.setUint32(at, value, true)
    at += 4
  }
  text('RIFF')
  long(headerLength - 8 + length + wavPaddingOf(length))
  text('WAVEfmt ')
  long(isPlain(format) ? 16 : 18)
  word(tags[format.encoding])
  word(format.channels)
  long(format.sampleRate)
  long(format.sampleRate * frameLength)
  word(frameLength)
  word(8 * bytesPerSample[format.encoding])
  if (!isPlain(format)) {
    word(0)
    text('fact')
    long(4)
    long(length / frameLength)
  }
  text('data')
  long(length)
  return header
}
