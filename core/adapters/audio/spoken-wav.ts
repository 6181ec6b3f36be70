import { decodeWav, parseWav, wavHeader } from '../../../rtp/index.ts'
import { SpeechFault } from './speech-engine.ts'

const minRate = 8000
const maxRate = 48_000
/** Header length of a WAV without other chunks. */
const headerBytes = 44
/** Where its sample rate is. */
const rateAt = 24

interface SpokenPcm {
  /** Mono, 16 bits, little-endian. */
  readonly pcm: Uint8Array
  readonly sampleRate: number
}

interface SpokenWav {
  readonly bytes: Uint8Array
  readonly durationMs: number
}

/**
 * The WAV that an engine gave, as mono of 16 bits, any rate. Engines that write into a pipe cannot know the length when
 * they begin and write a guess: it is put right, in place where that is all.
 */
export function spokenWav(bytes: Uint8Array): SpokenWav {
  const parsed = parseWav(bytes)
  if (!parsed.ok) throw new SpeechFault(`the engine gave no WAV that can be read (${parsed.reason})`)
  const { encoding, channels, sampleRate, dataFrom, dataLength } = parsed.value
  if (encoding !== 'pcm16' || channels !== 1 || dataFrom !== headerBytes) {
    const pcm = decodeWav(bytes, parsed.value)
    return spokenPcm(new Uint8Array(pcm.buffer), sampleRate)
  }
  const whole = bytes.subarray(0, dataFrom + dataLength)
  whole.set(headerOf(dataLength, sampleRate))
  return { bytes: whole, durationMs: durationOf(dataLength, sampleRate) }
}

/** Mono samples of 16 bits, little-endian, as an engine gives them without a head. */
export function spokenPcm(bytes: Uint8Array, sampleRate: number): SpokenWav {
  const length = bytes.length & ~1
  const header = headerOf(length, sampleRate)
  const wav = new Uint8Array(header.length + length)
  wav.set(header)
  wav.set(bytes.subarray(0, length), header.length)
  return { bytes: wav, durationMs: durationOf(length, sampleRate) }
}

/** The samples of a WAV that an engine gave. */
export function pcmOf(wav: Uint8Array): SpokenPcm {
  const { bytes } = spokenWav(wav)
  const sampleRate = new DataView(bytes.buffer, bytes.byteOffset).getUint32(rateAt, true)
  return { pcm: bytes.subarray(headerBytes), sampleRate }
}

/** A rate that no engine speaks at. */
export const faultOfRate = (sampleRate: number): SpeechFault | undefined =>
  sampleRate < minRate || sampleRate > maxRate ? new SpeechFault(`the engine gave ${sampleRate} Hz`) : undefined

const durationOf = (length: number, sampleRate: number): number => Math.round((length / 2 / sampleRate) * 1000)

function headerOf(length: number, sampleRate: number): Uint8Array {
  const fault = faultOfRate(sampleRate)
  if (fault !== undefined) throw fault
  if (length === 0) throw new SpeechFault('the engine gave no audio', true)
  return wavHeader({ encoding: 'pcm16', sampleRate, channels: 1 }, length)
}
