import { id3LengthOf } from '../../../rtp/index.ts'

/** What we can play, by how its bytes begin. */
export type AudioKind = 'wav' | 'mp3' | 'ogg'

const begins = (bytes: Uint8Array, tag: string): boolean =>
  [...tag].every((letter, at) => bytes[at] === letter.charCodeAt(0))

/** Recognizes a format by its bytes, not by name or Content-Type; undefined for any other. */
export function kindOfAudio(tagged: Uint8Array): AudioKind | undefined {
  const bytes = tagged.subarray(id3LengthOf(tagged))
  if (begins(bytes, 'RIFF') || begins(bytes, 'RF64') || begins(bytes, 'BW64')) return 'wav'
  if (begins(bytes, 'OggS')) return 'ogg'
  if (begins(bytes, 'fLaC')) return undefined
  // After an ID3v2 tag is MP3, if nothing else, and where it begins a decoder finds. An MPEG audio frame: eleven bits set,
  // then a layer that is not 0.
  const second = bytes[1] ?? 0
  return begins(tagged, 'ID3') || (bytes[0] === 0xff && (second & 0xe0) === 0xe0 && (second & 0x06) !== 0)
    ? 'mp3'
    : undefined
}
