import { id3LengthOf, parseWav, type WavFault } from '../../../rtp/index.ts'
import { AudioConverter } from './audio-converter.ts'
import { type AudioFault, audioFault } from './audio-fault.ts'
import { type AudioKind, kindOfAudio } from './audio-kind.ts'
import type { AudioSentence } from './audio-sentences.ts'

export interface AudioFacts {
  readonly ok: true
  readonly mediaFormat: AudioKind
  readonly durationMs: number
  readonly durationSeconds: number
}

export type AudioInspection = AudioFacts | AudioFault

const unplayable = (code: AudioFault['code'], why: AudioSentence): AudioFault => audioFault(code, why)

/** Inspects uploads; a converter of its own serves played files. */
const inspector = new AudioConverter()

const wavFaults: Readonly<Record<WavFault, AudioFault>> = {
  'not-wav': unplayable('PLAY.0415', 'it is no audio; WAV, MP3 and Ogg Opus are played'),
  truncated: unplayable('PLAY.0400', 'the WAV ends before its audio begins'),
  'no-format': unplayable('PLAY.0400', 'the WAV says nowhere how its samples are'),
  'bad-format': unplayable('PLAY.0400', 'the format in the WAV contradicts itself'),
  unsupported: unplayable('PLAY.0415', 'the WAV holds a coding, rate or number of channels that is not played'),
  'bad-chunk': unplayable('PLAY.0400', 'a chunk of the WAV is longer than the file'),
  'too-many-chunks': unplayable('PLAY.0400', 'the WAV holds too many chunks before its audio'),
}

/** Whether media can play a WAV. Never throws. */
export function inspectWav(bytes: Uint8Array): AudioInspection {
  const wav = parseWav(bytes)
  if (!wav.ok) return wavFaults[wav.reason]
  const { durationMs } = wav.value
  if (durationMs === 0) return unplayable('PLAY.0400', 'the WAV holds no audio')
  return { ok: true, mediaFormat: 'wav', durationMs: Math.round(durationMs), durationSeconds: durationMs / 1000 }
}

/** What is neither of the three; a word more than "no audio" where there is one. */
export function unknownAudio(tagged: Uint8Array): AudioFault {
  const bytes = tagged.subarray(id3LengthOf(tagged))
  const isFlac = [...'fLaC'].every((letter, at) => bytes[at] === letter.charCodeAt(0))
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const what = bytes.length === 0 ? 'empty' : isFlac ? 'FLAC' : isGzip ? 'compressed by gzip' : 'no audio'
  return unplayable('PLAY.0415', `it is ${what}; WAV, MP3 and Ogg Opus are played`)
}

/**
 * Whether media can play these bytes, judged by the bytes, not by name or Content-Type. Never rejects. When they have
 * to be decoded for it, owners take turns.
 */
export async function inspectAudio(bytes: Uint8Array, owner = ''): Promise<AudioInspection> {
  const kind = kindOfAudio(bytes)
  if (kind === undefined) return unknownAudio(bytes)
  if (kind === 'wav') return inspectWav(bytes)
  const found = await inspector.convert(owner, bytes)
  if ('ok' in found) return found
  const { durationMs } = found
  return { ok: true, mediaFormat: kind, durationMs: Math.round(durationMs), durationSeconds: durationMs / 1000 }
}
