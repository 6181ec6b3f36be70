import { linearOfALaw, linearOfMuLaw } from '../codec/g711-tables.ts'
import { bytesPerSample, frameLengthOf, type WavEncoding, type WavFormat } from './format.ts'
import type { WavFile } from './parse.ts'

/** What is no number is silent. */
const sampleOf = (value: number): number => {
  const scaled = Math.round(value * 32_768)
  return scaled >= 32_767 ? 32_767 : scaled <= -32_768 ? -32_768 : scaled || 0
}

const sampleReaders: Record<WavEncoding, (view: DataView, at: number) => number> = {
  pcm8: (view, at) => (view.getUint8(at) - 128) << 8,
  pcm16: (view, at) => view.getInt16(at, true),
  pcm24: (view, at) => view.getInt16(at + 1, true),
  pcm32: (view, at) => view.getInt16(at + 2, true),
  float32: (view, at) => sampleOf(view.getFloat32(at, true)),
  float64: (view, at) => sampleOf(view.getFloat64(at, true)),
  alaw: (view, at) => linearOfALaw[view.getUint8(at)]!,
  mulaw: (view, at) => linearOfMuLaw[view.getUint8(at)]!,
}

/**
 * Decodes `frames` frames from `bytes[from]` on into mono samples from `pcm[at]` on; several channels become their mean.
 * What lies beyond the end of `bytes` is left out. Returns the samples written.
 */
export const decodeWavInto = (
  pcm: Int16Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  frames: number,
  format: WavFormat,
): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = sampleReaders[format.encoding]
  const step = bytesPerSample[format.encoding]
  const frameLength = frameLengthOf(format)
  const count = Math.min(frames, Math.floor((bytes.length - from) / frameLength), pcm.length - at)
  for (let frame = 0; frame < count; frame++) {
    const first = from + frame * frameLength
    let sum = 0
    for (let channel = 0; channel < format.channels; channel++) sum += read(view, first + channel * step)
    pcm[at + frame] = format.channels === 1 ? sum : Math.round(sum / format.channels)
  }
  return Math.max(0, count)
}

/** All samples of a file whose bytes are at hand, mono, at its own rate. */
export const decodeWav = (bytes: Uint8Array, file: WavFile): Int16Array => {
  const frames = Math.floor(Math.min(file.dataLength, bytes.length - file.dataFrom) / frameLengthOf(file))
  const pcm = new Int16Array(Math.max(0, frames))
  decodeWavInto(pcm, 0, bytes, file.dataFrom, pcm.length, file)
  return pcm
}
