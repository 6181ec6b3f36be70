/** What the head of a stream of Opus says about how it is to be decoded. */
export interface OpusHead {
  readonly channels: number
  /**
   * Each packet holds one of each stream, all but the last delimited (`firstPacketIn`). What one of them has in the mean of
   * what is played: a stream of two channels counts as their mean. Together 1, or 0 where nothing is to be played.
   */
  readonly shares: readonly number[]
  /** 48,000ths of a second at the beginning that are not to be played (RFC 7845 §4.2). */
  readonly preSkip: number
  /** To be applied to the samples, dB. */
  readonly gainDb: number
}

const isText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

//  "OpusHead" | version | channels | pre-skip (2) | input rate (4) | output gain (2) | mapping family   RFC 7845 §5.1
export const readOpusHead = (bytes: Uint8Array, from: number, end: number): OpusHead | 'bad-head' | 'unsupported' => {
  if (!isText(bytes, from, 'OpusHead')) return 'unsupported'
  if (end - from < 19) return 'bad-head'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // A minor version may add to what is known; a major one changes it.
  if (bytes[from + 8]! > 15) return 'unsupported'
  const channels = bytes[from + 9]!
  if (channels === 0) return 'bad-head'
  const shares = sharesIn(bytes, from + 18, end, channels)
  if (typeof shares === 'string') return shares
  return { channels, shares, preSkip: view.getUint16(from + 10, true), gainDb: view.getInt16(from + 16, true) / 256 }
}

/** √½: what stands in the middle, or after, in either ear. */
const half = Math.SQRT1_2
const both = 0.5
const behind = half / 2
/** In one ear or the other, the order of Vorbis (RFC 7845 §5.1.1.2); the rumble (LFE) is for none. */
const layouts: readonly (readonly number[])[] = [
  [1],
  [both, both],
  [both, half, both],
  [both, both, behind, behind],
  [both, half, both, behind, behind],
  [both, half, both, behind, behind, 0],
  [both, half, both, behind, behind, half, 0],
  [both, half, both, behind, behind, behind, behind, 0],
]
const silent = 255

//  family | streams | coupled ones | stream of each channel …   RFC 7845 §5.1.1
const sharesIn = (
  bytes: Uint8Array,
  from: number,
  end: number,
  channels: number,
): readonly number[] | 'bad-head' | 'unsupported' => {
  const family = bytes[from]!
  if (family === 0) return channels <= 2 ? [1] : 'bad-head'
  const layout = layouts[channels - 1]
  if (family !== 1 || layout === undefined) return 'unsupported'
  if (end - from < 3 + channels) return 'bad-head'
  const streams = bytes[from + 1]!
  const coupled = bytes[from + 2]!
  if (streams === 0 || coupled > streams || streams + coupled > silent) return 'bad-head'
  const shares = new Array<number>(streams).fill(0)
  for (let channel = 0; channel < channels; channel++) {
    const source = bytes[from + 3 + channel]!
    if (source === silent) continue
    const stream = source < 2 * coupled ? source >> 1 : source - coupled
    if (stream >= streams) return 'bad-head'
    shares[stream]! += layout[channel]!
  }
  const sum = shares.reduce((total, share) => total + share, 0)
  return sum === 0 ? shares : shares.map(share => share / sum)
}
