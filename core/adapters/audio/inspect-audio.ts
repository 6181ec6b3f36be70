import { parseWav, type WavFault } from '../../../rtp/index.ts'
import { type AudioFault, audioFault } from './audio-fault.ts'

export interface AudioFacts {
  readonly ok: true
  readonly mediaFormat: 'wav'
  readonly durationMs: number
  readonly durationSeconds: number
}

export type AudioInspection = AudioFacts | AudioFault

const wavFaults: Readonly<Record<WavFault, AudioFault>> = {
  'not-wav': audioFault('PLAY.0415', 'it is no audio; only WAV is played'),
  truncated: audioFault('PLAY.0400', 'the WAV ends before its audio begins'),
  'no-format': audioFault('PLAY.0400', 'the WAV says nowhere how its samples lie'),
  'bad-format': audioFault('PLAY.0400', 'the format in the WAV contradicts itself'),
  unsupported: audioFault('PLAY.0415', 'the WAV holds a coding, rate or number of channels that is not played'),
  'bad-chunk': audioFault('PLAY.0400', 'a chunk of the WAV is longer than the file'),
  'too-many-chunks': audioFault('PLAY.0400', 'the WAV holds too many chunks before its audio'),
}

/** Whether media can play these bytes, told by themselves and by no name or Content-Type. Never throws. */
export function inspectAudio(bytes: Uint8Array): AudioInspection {
  const wav = parseWav(bytes)
  if (!wav.ok) {
    const other = wav.reason === 'not-wav' ? otherKindOf(bytes) : undefined
    return other === undefined ? wavFaults[wav.reason] : audioFault('PLAY.0415', `it is ${other}; only WAV is played`)
  }
  const { durationMs } = wav.value
  if (durationMs === 0) return audioFault('PLAY.0400', 'the WAV holds no audio')
  return { ok: true, mediaFormat: 'wav', durationMs: Math.round(durationMs), durationSeconds: durationMs / 1000 }
}

/** Audio of another kind, so that the answer says more than "no audio". */
function otherKindOf(bytes: Uint8Array): string | undefined {
  const begins = (tag: string) => [...tag].every((letter, at) => bytes[at] === letter.charCodeAt(0))
  if (bytes.length === 0) return 'empty'
  if (begins('OggS')) return 'Ogg'
  if (begins('fLaC')) return 'FLAC'
  // ID3v2, or an MPEG audio frame: eleven bits set, then a layer that is not 0.
  const second = bytes[1] ?? 0
  return begins('ID3') || (bytes[0] === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0) ? 'MP3' : undefined
}
