import { type CodecName, codecNamed, codecNames } from '../model/trunk.ts'

/** What a media thread reports about a leg: counts since its beginning, all else of the last second; NaN: not known. */
export interface RtpFigures {
  readonly codec: string | undefined
  readonly received: number
  readonly sent: number
  readonly lost: number
  readonly jitterMs: number
  readonly delayMs: number
  readonly roundTripMs: number
  readonly mos: number
  readonly remoteLossPercent: number
  readonly concealedMs: number
  readonly levelDbov: number
}

/** One second of a leg's RTP; null: not known in it. */
export interface RtpPoint {
  readonly seq: number
  readonly unixMs: number
  /** How long it counts. */
  readonly seconds: number
  readonly codec: string | null
  readonly received: number
  readonly sent: number
  readonly lost: number
  readonly jitterMs: number
  readonly delayMs: number | null
  readonly roundTripMs: number | null
  readonly mos: number | null
  readonly remoteLossPercent: number | null
  readonly concealedMs: number | null
  readonly levelDbov: number | null
}

/** Number of a codec in a stored point; 0 = none. Traces on disk hold these numbers: never change one. */
const storedNumbers: Readonly<Record<CodecName, number>> = { PCMU: 1, PCMA: 2, G722: 3, opus: 4 }
const nameOf = (number: number): CodecName | undefined => codecNames.find(name => storedNumbers[name] === number)

const numberOf = (codec: string): number => {
  const known = codecNamed(codec)
  return known === undefined ? 0 : storedNumbers[known]
}

/**
 *     0 u32 seq   4 u32 ms since the record's time   8 u16 received   10 u16 sent   12 u16 lost   14 u16 jitter, 0.1 ms
 *    16 u16 delay, ms   18 u16 round trip, ms   20 u16 concealed, ms   22 u8 MOS × 50   23 u8 remote loss, 0.5 %
 *    24 u8 level, -dBov   25 u8 codec   26 u16 seconds
 */
export const rtpPointBytes = 28
const unknown8 = 0xff
const unknown16 = 0xffff

const u16 = (value: number): number => Math.max(0, Math.min(unknown16 - 1, Math.round(value)))
const u16OrUnknown = (value: number): number => (Number.isNaN(value) ? unknown16 : u16(value))
const u8OrUnknown = (value: number): number =>
  Number.isNaN(value) ? unknown8 : Math.max(0, Math.min(unknown8 - 1, Math.round(value)))

/** Sums that a point is the difference of. */
export interface RtpSums {
  received: number
  sent: number
  lost: number
  concealedMs: number
}

export function writeRtpPoint(
  view: DataView,
  at: number,
  place: { readonly seq: number; readonly ms: number; readonly seconds: number },
  before: RtpSums,
  figures: RtpFigures,
): void {
  view.setUint32(at, place.seq, true)
  view.setUint32(at + 4, place.ms, true)
  view.setUint16(at + 8, u16(figures.received - before.received), true)
  view.setUint16(at + 10, u16(figures.sent - before.sent), true)
  view.setUint16(at + 12, u16(figures.lost - before.lost), true)
  view.setUint16(at + 14, u16(figures.jitterMs * 10), true)
  view.setUint16(at + 16, u16OrUnknown(figures.delayMs), true)
  view.setUint16(at + 18, u16OrUnknown(figures.roundTripMs), true)
  view.setUint16(at + 20, u16OrUnknown(figures.concealedMs - before.concealedMs), true)
  view.setUint8(at + 22, u8OrUnknown(figures.mos * 50))
  view.setUint8(at + 23, u8OrUnknown(figures.remoteLossPercent * 2))
  view.setUint8(at + 24, u8OrUnknown(-figures.levelDbov))
  view.setUint8(at + 25, numberOf(figures.codec ?? ''))
  view.setUint16(at + 26, place.seconds, true)
}

export function readRtpPoint(view: DataView, at: number, unixMs: number): RtpPoint {
  const figure16 = (place: number): number | null => {
    const value = view.getUint16(at + place, true)
    return value === unknown16 ? null : value
  }
  const figure8 = (place: number, share: number): number | null => {
    const value = view.getUint8(at + place)
    return value === unknown8 ? null : value * share
  }
  return {
    seq: view.getUint32(at, true),
    unixMs: unixMs + view.getUint32(at + 4, true),
    seconds: view.getUint16(at + 26, true),
    codec: nameOf(view.getUint8(at + 25)) ?? null,
    received: view.getUint16(at + 8, true),
    sent: view.getUint16(at + 10, true),
    lost: view.getUint16(at + 12, true),
    jitterMs: view.getUint16(at + 14, true) / 10,
    delayMs: figure16(16),
    roundTripMs: figure16(18),
    mos: figure8(22, 0.02),
    remoteLossPercent: figure8(23, 0.5),
    concealedMs: figure16(20),
    levelDbov: figure8(24, -1),
  }
}
