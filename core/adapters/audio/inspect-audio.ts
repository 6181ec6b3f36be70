import { type AudioFault, audioFault } from './audio-fault.ts'
import { readWavFacts } from './wav-facts.ts'

export interface AudioFacts {
  readonly ok: true
  readonly mediaFormat: 'wav'
  readonly durationMs: number
  readonly durationSeconds: number
}

export type AudioInspection = AudioFacts | AudioFault

/** Whether these bytes can be played, told by themselves and by no name or Content-Type. Never throws. */
export function inspectAudio(bytes: Uint8Array): AudioInspection {
  const kind = kindOf(bytes)
  if (kind !== 'wav') return audioFault('PLAY.0415', `it is ${kind}; only WAV is played`)
  const facts = readWavFacts(bytes)
  if (!facts.ok) return audioFault('PLAY.0400', facts.detail)
  const durationSeconds = facts.frames / facts.sampleRate
  return { ok: true, mediaFormat: 'wav', durationMs: Math.round(durationSeconds * 1000), durationSeconds }
}

function kindOf(bytes: Uint8Array): string {
  const begins = (tag: string) => [...tag].every((letter, at) => bytes[at] === letter.charCodeAt(0))
  if (begins('RIFF')) return 'wav'
  if (begins('OggS')) return 'Ogg'
  if (begins('fLaC')) return 'FLAC'
  // ID3v2, or an MPEG audio frame: eleven bits set, then a layer that is not 0.
  if (begins('ID3') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 && ((bytes[1] ?? 0) & 0x06) !== 0))
    return 'MP3'
  return bytes.length === 0 ? 'empty' : 'no audio'
}
