import { opusUnitsIn } from './opus.ts'

/** What a session can speak; the names are those of SDP's rtpmap. Between them audio is 16-bit samples, mono. */
export type AudioCodecName = 'PCMU' | 'PCMA' | 'G722' | 'opus'

/** Samples a second of a stream that is decoded or encoded; the highest between Opus and Opus only. */
export type StreamRate = 8000 | 16_000 | 48_000

interface CodecFacts {
  /** Units of the RTP timestamp a second. G.722's is 8,000 by an old mistake (RFC 3551 §4.5.2). */
  readonly clockRate: number
  /** Sample rate that a telephone makes use of: Opus is decoded at the rate that the listener needs. */
  readonly sampleRate: 8000 | 16_000
  /** Bytes of a payload that we take at most: 120 ms, as the longest packet of Opus. */
  readonly longestPayload: number
  /** Timestamp units that a payload lasts; 0 for rubbish. */
  readonly unitsIn: (payload: Uint8Array, from: number, length: number) => number
}

const perByte = (_payload: Uint8Array, _from: number, length: number): number => length

export const codecFacts: Readonly<Record<AudioCodecName, CodecFacts>> = {
  PCMU: { clockRate: 8000, sampleRate: 8000, longestPayload: 960, unitsIn: perByte },
  PCMA: { clockRate: 8000, sampleRate: 8000, longestPayload: 960, unitsIn: perByte },
  G722: { clockRate: 8000, sampleRate: 16_000, longestPayload: 960, unitsIn: perByte },
  opus: { clockRate: 48_000, sampleRate: 16_000, longestPayload: 1276, unitsIn: opusUnitsIn },
}

/** Number of a codec in what threads pass to each other; 0 = none. */
export const codecNumbers: Readonly<Record<AudioCodecName, number>> = { PCMU: 1, PCMA: 2, G722: 3, opus: 4 }

const isG711 = (codec: AudioCodecName): boolean => codec === 'PCMU' || codec === 'PCMA'

/** Packets of one can go out as packets of the other, byte by byte. */
export const isRelayable = (from: AudioCodecName, to: AudioCodecName): boolean =>
  from === to || (isG711(from) && isG711(to))

/** The rate of samples at which audio of `from` is best brought to a coder of `to`: no higher than both make use of. */
export const rateBetween = (from: AudioCodecName, to: AudioCodecName): 8000 | 16_000 =>
  to === 'opus' ? codecFacts[from].sampleRate : codecFacts[to].sampleRate
