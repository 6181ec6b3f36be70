import { SpeechFault } from './speech-engine.ts'

const headerBytes = 44

/**
 * The WAV that an engine wrote into a pipe: mono, 16-bit, any rate. Engines cannot know the length when they begin and
 * write a guess; here it is put right, in place.
 */
export function spokenWav(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly durationMs: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!isMono16(bytes, view)) throw new SpeechFault('the engine gave no mono 16-bit WAV')
  const rate = view.getUint32(24, true)
  const dataBytes = (bytes.length - headerBytes) & ~1
  if (rate < 8000 || rate > 48_000) throw new SpeechFault(`the engine gave ${rate} Hz`)
  if (dataBytes === 0) throw new SpeechFault('the engine gave no audio')
  view.setUint32(4, headerBytes - 8 + dataBytes, true)
  view.setUint32(40, dataBytes, true)
  return { bytes: bytes.subarray(0, headerBytes + dataBytes), durationMs: Math.round((dataBytes / 2 / rate) * 1000) }
}

// RIFF size WAVE | fmt 16, PCM 1, channels 1, rate, bytes a second, 2, 16 bits | data size
const isMono16 = (bytes: Uint8Array, view: DataView): boolean =>
  bytes.length >= headerBytes &&
  tagAt(bytes, 0) === 'RIFF' &&
  tagAt(bytes, 8) === 'WAVE' &&
  tagAt(bytes, 12) === 'fmt ' &&
  view.getUint32(16, true) === 16 &&
  view.getUint16(20, true) === 1 &&
  view.getUint16(22, true) === 1 &&
  view.getUint16(34, true) === 16 &&
  tagAt(bytes, 36) === 'data'

const tagAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
