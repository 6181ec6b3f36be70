import { opusUnitsIn } from '../codec/opus.ts'
import { isOgg, oggChecksum, oggContinued, oggFirst, oggHeadLength, oggLast } from './page.ts'

export interface OggOpus {
  readonly channels: 1 | 2
  /** 2: each packet holds two, one of each channel; the first of them is delimited (`firstPacketIn`). */
  readonly streams: 1 | 2
  /** 48,000ths of a second at the beginning that are not to be heard (RFC 7845 §4.2). */
  readonly preSkip: number
  /** To be applied to the samples, dB. */
  readonly gainDb: number
  /** Where each packet begins, and ends behind, in `payload`. */
  readonly packets: readonly (readonly [from: number, end: number])[]
  readonly payload: Uint8Array
  /** 48,000ths of a second that are to be heard. */
  readonly units: number
  /** False: the bytes end within a page or a packet, and what was whole before is here. */
  readonly isWhole: boolean
  /** Behind the stream's last page: another may be chained to it (RFC 3533 §4). */
  readonly end: number
}

export type OggFault =
  | 'not-ogg'
  /** Sound or pictures, but not Opus, or more channels than two. */
  | 'unsupported'
  | 'truncated'
  /** A page that contradicts itself, its checksum or its neighbours. */
  | 'bad-page'
  /** The headers of the stream. */
  | 'bad-head'
  | 'bad-packet'
  /** More than `maxUnits`. */
  | 'too-long'

export type ParsedOggOpus =
  | { readonly ok: true; readonly value: OggOpus }
  | { readonly ok: false; readonly reason: OggFault; readonly at: number }

const fault = (reason: OggFault, at: number): ParsedOggOpus => ({ ok: false, reason, at })
const isText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
/** Longest packet of Opus that there can be (RFC 6716 §3.4), with room for padding. */
const maxPacket = 61_298
/** Of the pages' positions, only what a number holds. */
const unknownPosition = -1

/**
 * Reads a file of Ogg Opus (RFC 7845): the packets of its first stream, up to that stream's end, or to where the file was
 * cut off. Every other page must be whole. `maxUnits`: the longest that is taken.
 */
export const readOggOpus = (bytes: Uint8Array, maxUnits: number): ParsedOggOpus => {
  if (!isOgg(bytes)) return fault('not-ogg', 0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const payload = new Uint8Array(bytes.length)
  const packets: [number, number][] = []
  let filled = 0
  let begun = 0
  let isOpen = false
  let hasEnded = false
  let serial = -1
  let sequence = 0
  let position = unknownPosition
  let head: Head | undefined
  let seen = 0
  let units = 0
  let end = 0
  for (let at = 0; at < bytes.length; end = at) {
    if (at + oggHeadLength > bytes.length) break
    const segments = bytes[at + 26]!
    if (!isOgg(bytes, at) || bytes[at + 4] !== 0) return fault('bad-page', at)
    const from = at + oggHeadLength + segments
    if (from > bytes.length) break
    let length = 0
    for (let n = 0; n < segments; n++) length += bytes[at + oggHeadLength + n]!
    if (from + length > bytes.length) break
    if (oggChecksum(bytes, at, from + length - at) !== view.getUint32(at + 22, true)) return fault('bad-page', at)
    const flags = bytes[at + 5]!
    const own = view.getUint32(at + 14, true)
    const next = from + length
    if (serial < 0 || own !== serial) {
      // Another stream beside or behind ours is left out.
      if (serial >= 0) {
        at = next
        continue
      }
      if ((flags & oggFirst) === 0) return fault('bad-page', at)
      serial = own
      sequence = view.getUint32(at + 18, true)
    } else if (view.getUint32(at + 18, true) !== sequence) return fault('bad-page', at)
    sequence = (sequence + 1) >>> 0
    if (isOpen !== ((flags & oggContinued) !== 0)) return fault('bad-page', at)
    let read = from
    for (let n = 0; n < segments; n++) {
      const lace = bytes[at + oggHeadLength + n]!
      payload.set(bytes.subarray(read, read + lace), filled)
      read += lace
      filled += lace
      isOpen = lace === 255
      if (isOpen) continue
      if (seen === 0) {
        const parsed = headIn(payload, begun, filled)
        if (typeof parsed === 'string') return fault(parsed, at)
        head = parsed
        filled = begun
      } else if (seen === 1) {
        if (!isText(payload, begun, 'OpusTags')) return fault('bad-head', at)
        filled = begun
      } else {
        const lasts = filled - begun > maxPacket ? 0 : opusUnitsIn(payload, begun, filled - begun)
        if (lasts === 0) return fault('bad-packet', at)
        packets.push([begun, filled])
        units += lasts
        if (units > maxUnits) return fault('too-long', at)
      }
      begun = filled
      seen++
    }
    if (view.getUint32(at + 10, true) < 0x20_0000)
      position = view.getUint32(at + 10, true) * 0x1_0000_0000 + view.getUint32(at + 6, true)
    at = next
    if ((flags & oggLast) === 0) continue
    end = at
    hasEnded = true
    break
  }
  if (head === undefined || seen < 2) return fault('truncated', bytes.length)
  const isWhole = !isOpen && (hasEnded || end === bytes.length)
  if (!isWhole && packets.length === 0) return fault('truncated', bytes.length)
  // The last page may say that its last packet is heard in part (RFC 7845 §4.4).
  const until = isWhole && position > 0 && position < units ? position : units
  return { ok: true, value: { ...head, packets, payload, units: Math.max(0, until - head.preSkip), isWhole, end } }
}

type Head = Pick<OggOpus, 'channels' | 'streams' | 'preSkip' | 'gainDb'>

//  "OpusHead" | version | channels | pre-skip (2) | input rate (4) | output gain (2) | mapping family   RFC 7845 §5.1
const headIn = (bytes: Uint8Array, from: number, end: number): Head | 'bad-head' | 'unsupported' => {
  if (!isText(bytes, from, 'OpusHead')) return 'unsupported'
  if (end - from < 19) return 'bad-head'
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // A minor version may add to what is known; a major one changes it.
  if (bytes[from + 8]! > 15) return 'unsupported'
  const channels = bytes[from + 9]!
  if (channels > 2) return 'unsupported'
  if (channels === 0) return 'bad-head'
  const streams = streamsIn(bytes, from + 18, end, channels)
  if (streams === 0) return 'unsupported'
  return {
    channels: channels === 1 ? 1 : 2,
    streams,
    preSkip: view.getUint16(from + 10, true),
    gainDb: view.getInt16(from + 16, true) / 256,
  }
}

//  family | streams | coupled ones | stream of each channel …   RFC 7845 §5.1.1
const streamsIn = (bytes: Uint8Array, from: number, end: number, channels: number): 0 | 1 | 2 => {
  if (bytes[from] === 0) return 1
  if (bytes[from] !== 1 || end - from < 3 + channels) return 0
  const [streams, coupled, first, second] = bytes.subarray(from + 1, from + 3 + channels)
  if (first! + (second ?? 0) !== channels - 1) return 0
  if (streams === 1 && coupled === channels - 1) return 1
  return streams === 2 && coupled === 0 && channels === 2 ? 2 : 0
}
