import { opusUnitsIn } from '../codec/opus.ts'
import { nextCapture, pageAt } from './find-page.ts'
import { isOgg, oggContinued, oggFirst, oggHeadLength, oggLast } from './page.ts'
import { type OpusHead, readOpusHead } from './read-head.ts'

/** The Opus packets of a file. */
export interface OggOpus extends OpusHead {
  /** Where each packet begins, and ends after, in `payload`. */
  readonly packets: readonly (readonly [from: number, end: number])[]
  readonly payload: Uint8Array
  /** Where pages were missing or damaged: 48,000ths of a second that lack before the packet of that number, as far as pages say. */
  readonly gaps: readonly { readonly before: number; readonly units: number }[]
  /** 48,000ths of a second that are to be played, gaps included. */
  readonly units: number
  /** False: the bytes end within a page or a packet, and what was whole before is here. */
  readonly isWhole: boolean
  /** After the stream's last page: another may be chained to it (RFC 3533 §4). */
  readonly end: number
}

/** Why a file is no Ogg Opus that can be played. */
export type OggFault =
  | 'not-ogg'
  /** Sound or pictures, but not Opus. */
  | 'not-opus'
  /** Opus of an unknown version, or of channels that stand in no known order. */
  | 'unsupported'
  | 'truncated'
  /** Pages that contradict themselves, their checksum or their neighbours, and leave nothing to be played. */
  | 'bad-page'
  /** The headers of the stream. */
  | 'bad-head'
  | 'bad-packet'
  /** More than `maxUnits`. */
  | 'too-long'

/** The packets of a file, or what is wrong with it and at which byte. */
export type ParsedOggOpus =
  | { readonly ok: true; readonly value: OggOpus }
  | { readonly ok: false; readonly reason: OggFault; readonly at: number }

const fault = (reason: OggFault, at: number): ParsedOggOpus => ({ ok: false, reason, at })
const isText = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}
/** Longest packet of Opus that there can be (RFC 6716 §3.4), with room for padding; one for each of many streams. */
const maxPacket = 8 * 61_298
/** Places where a file may be damaged: looking for what follows takes time. */
const maxDamages = 256
/** A gap that pages show is accepted up to 10 s; beyond, what follows is played at once. */
const maxGapUnits = 10 * 48_000

/**
 * Reads a file of Ogg Opus (RFC 7845): the packets of its first stream, up to that stream's end, or to where the file was
 * cut off. Pages that are missing or damaged are passed over. `maxUnits`: the longest that is taken.
 */
export const readOggOpus = (bytes: Uint8Array, maxUnits: number): ParsedOggOpus => {
  if (!isOgg(bytes)) return fault('not-ogg', 0)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const payload = new Uint8Array(bytes.length)
  const packets: [number, number][] = []
  const gaps: { before: number; units: number }[] = []
  let filled = 0
  let begun = 0
  let isOpen = false
  /** What continues a packet whose beginning is lost is left out. */
  let isTorn = false
  let hasEnded = false
  let serial = -1
  let sequence = 0
  let lastPosition = 0
  let head: OpusHead | undefined
  let seen = 0
  let units = 0
  let end = 0
  let damages = 0
  let isLost = false
  for (let at = 0; at < bytes.length; ) {
    const page = pageAt(bytes, view, at)
    if (typeof page === 'string') {
      if (page === 'bad' && (seen < 2 || ++damages > maxDamages)) return fault('bad-page', at)
      const next = nextCapture(bytes, at + 1)
      if (next < 0) break
      if (page === 'cut' && ++damages > maxDamages) return fault('bad-page', at)
      at = next
      continue
    }
    const beganAt = at
    at = page.end
    if (serial < 0) {
      if ((page.flags & oggFirst) === 0) return fault('bad-page', beganAt)
      serial = page.serial
      sequence = page.sequence
    }
    // Another stream beside or after ours is left out, and a page that came before.
    const ahead = (page.sequence - sequence) | 0
    if (page.serial !== serial || ahead < 0) {
      end = at
      continue
    }
    const isContinued = (page.flags & oggContinued) !== 0
    if (ahead > 0 || isContinued !== isOpen) {
      if (seen < 2) return fault('bad-page', beganAt)
      isLost = true
      isTorn = isContinued
      isOpen = false
      filled = begun
    }
    sequence = (page.sequence + 1) >>> 0
    const firstPacket = packets.length
    const unitsBefore = units
    let read = page.from
    for (let n = 0; n < page.segments; n++) {
      const lace = bytes[beganAt + oggHeadLength + n]!
      payload.set(bytes.subarray(read, read + lace), filled)
      read += lace
      filled += lace
      isOpen = lace === 255
      if (isOpen) continue
      if (isTorn) {
        isTorn = false
        filled = begun
        continue
      }
      if (seen === 0) {
        const parsed = readOpusHead(payload, begun, filled)
        if (typeof parsed === 'string') return fault(isText(payload, begun, 'OpusHead') ? parsed : 'not-opus', beganAt)
        head = parsed
        filled = begun
      } else if (seen === 1) {
        if (!isText(payload, begun, 'OpusTags')) return fault('bad-head', beganAt)
        filled = begun
      } else {
        const lasts = filled - begun > maxPacket ? 0 : opusUnitsIn(payload, begun, filled - begun)
        if (lasts === 0) return fault('bad-packet', beganAt)
        packets.push([begun, filled])
        units += lasts
        if (units > maxUnits) return fault('too-long', beganAt)
      }
      begun = filled
      seen++
    }
    if (isTorn) filled = begun
    if (page.position !== undefined) {
      if (isLost && packets.length > firstPacket) {
        isLost = false
        const missing = page.position - lastPosition - (units - unitsBefore)
        if (lastPosition > 0 && missing > 0 && missing <= maxGapUnits) {
          gaps.push({ before: firstPacket, units: missing })
          units += missing
          if (units > maxUnits) return fault('too-long', beganAt)
        }
      }
      if (seen > 2) lastPosition = page.position
    }
    end = at
    if ((page.flags & oggLast) === 0) continue
    hasEnded = true
    break
  }
  if (head === undefined || seen < 2) return fault('truncated', bytes.length)
  const isWhole = !isOpen && (hasEnded || end === bytes.length)
  if (packets.length === 0 && damages > 0) return fault('bad-page', bytes.length)
  if (packets.length === 0 && isLost) return fault('bad-page', bytes.length)
  if (!isWhole && packets.length === 0) return fault('truncated', bytes.length)
  // The last page may say that its last packet is played in part (RFC 7845 §4.4).
  const hasEnd = isWhole && lastPosition > 0 && lastPosition < units
  const until = hasEnd ? lastPosition : units
  return {
    ok: true,
    value: { ...head, packets, payload, gaps, units: Math.max(0, until - head.preSkip), isWhole, end },
  }
}
