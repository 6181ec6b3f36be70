import {
  frameLengthOf,
  tagALaw,
  tagExtensible,
  tagFloat,
  tagMuLaw,
  tagPcm,
  type WavEncoding,
  type WavFormat,
} from './format.ts'
import { id3LengthOf } from './id3-tag.ts'

/** What the head of a WAV file says; lengths in bytes. */
export interface WavFile extends WavFormat {
  /** Where the samples begin. */
  readonly dataFrom: number
  /** Whole frames only; what the header promises and the file lacks is not counted. */
  readonly dataLength: number
  readonly durationMs: number
}

/** Why a file is no WAV that can be played. */
export type WavFault =
  | 'not-wav'
  /** Ends before its samples begin, as far as its bytes were given. */
  | 'truncated'
  | 'no-format'
  | 'bad-format'
  /** Sound, but of a kind that we do not decode. */
  | 'unsupported'
  | 'bad-chunk'
  | 'too-many-chunks'

/** Where the samples of a file lie, or what is wrong with it and at which byte. */
export type ParsedWav =
  | { readonly ok: true; readonly value: WavFile }
  | { readonly ok: false; readonly reason: WavFault; readonly at: number }

export const minWavRateHz = 4000
const maxWavRateHz = 192_000
const maxWavChannels = 64
/** Chunks before the samples; more is no honest file. */
const maxWavChunks = 64
/** A size of 32 bits that says: look elsewhere, or: was never filled in. */
const unknownSize = 0xffff_ffff
/** Beyond, a number loses its units; no file is as long. */
const maxHighWord = 0x1f_ffff

const fault = (reason: WavFault, at: number): ParsedWav => ({ ok: false, reason, at })
const isText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

/**
 * Reads a WAV file's head, after ID3v2 tags if there are any. `bytes` are its first bytes, all up to the samples at least (64 KB hold any usual head);
 * `fileLength` is the length of the whole, by default that of `bytes`. Where the header was never finished (a
 * writer that crashed), the samples reach to the file's end.
 */
export const parseWav = (bytes: Uint8Array, fileLength = bytes.length): ParsedWav => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = id3LengthOf(bytes)
  if (start > 0 && start + 12 > bytes.length && start + 12 <= fileLength) return fault('truncated', start)
  const wide = isText(bytes, start, 'RF64') || isText(bytes, start, 'BW64')
  if (!(wide || isText(bytes, start, 'RIFF')) || !isText(bytes, start + 8, 'WAVE')) return fault('not-wav', start)
  const riffSize = view.getUint32(start + 4, true)
  const unfinished = riffSize === 0 || riffSize === unknownSize
  let format: WavFormat | undefined
  let wideLength: number | undefined
  let at = start + 12
  for (let chunk = 0; chunk < maxWavChunks; chunk++) {
    if (at + 8 > bytes.length) return fault('truncated', at)
    const size = view.getUint32(at + 4, true)
    const from = at + 8
    if (isText(bytes, at, 'data')) {
      if (format === undefined) return fault('no-format', at)
      const rest = Math.max(0, fileLength - from)
      const promised = size === unknownSize ? (wideLength ?? rest) : size === 0 && unfinished ? rest : size
      return { ok: true, value: fileOf(format, from, Math.min(promised, rest)) }
    }
    if (from + size > fileLength) return fault('bad-chunk', at)
    if (isText(bytes, at, 'fmt ')) {
      if (size < 16) return fault('bad-format', at)
      if (from + Math.min(size, 40) > bytes.length) return fault('truncated', at)
      const parsed = formatAt(view, from, size)
      if (typeof parsed === 'string') return fault(parsed, at)
      format = parsed
    } else if (wide && isText(bytes, at, 'ds64') && size >= 16 && from + 16 <= bytes.length) {
      // EBU Tech 3306: sizes of RIFF and data in 64 bits.
      const high = view.getUint32(from + 12, true)
      if (high > maxHighWord) return fault('bad-chunk', at)
      wideLength = high * 0x1_0000_0000 + view.getUint32(from + 8, true)
    }
    // Chunks begin on even bytes.
    at = from + size + (size & 1)
  }
  return fault('too-many-chunks', at)
}

const fileOf = (format: WavFormat, dataFrom: number, length: number): WavFile => {
  const frameLength = frameLengthOf(format)
  const frames = Math.floor(length / frameLength)
  return { ...format, dataFrom, dataLength: frames * frameLength, durationMs: (frames * 1000) / format.sampleRate }
}

const formatAt = (view: DataView, at: number, size: number): WavFormat | 'bad-format' | 'unsupported' => {
  let tag = view.getUint16(at, true)
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const frameLength = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  if (tag === tagExtensible) {
    if (size < 40) return 'bad-format'
    tag = view.getUint16(at + 24, true)
  }
  const encoding = encodingOf(tag, bits)
  if (encoding === undefined) return 'unsupported'
  if (channels === 0 || sampleRate === 0) return 'bad-format'
  if (channels > maxWavChannels || sampleRate < minWavRateHz || sampleRate > maxWavRateHz) return 'unsupported'
  const format = { encoding, sampleRate, channels }
  return frameLength === frameLengthOf(format) ? format : 'bad-format'
}

/** Samples of other widths fill whole bytes from above: 12 bits lie in the upper ones of 16, 20 in those of 24. */
const pcmOf = (bits: number): WavEncoding | undefined => {
  if (bits === 8) return 'pcm8'
  if (bits <= 8 || bits > 32) return undefined
  return bits <= 16 ? 'pcm16' : bits <= 24 ? 'pcm24' : 'pcm32'
}

const encodingOf = (tag: number, bits: number): WavEncoding | undefined => {
  switch (tag) {
    case tagPcm:
      return pcmOf(bits)
    case tagFloat:
      return bits === 32 ? 'float32' : bits === 64 ? 'float64' : undefined
    case tagALaw:
      return bits === 8 ? 'alaw' : undefined
    case tagMuLaw:
      return bits === 8 ? 'mulaw' : undefined
    default:
      return undefined
  }
}
