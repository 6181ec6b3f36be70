import { boundedNumber } from '../grammar/token.ts'
import type { MediaDescription } from './session.ts'

/** A codec at a payload type, as `a=rtpmap` and `a=fmtp` say it. */
export interface Codec {
  /** Compared without regard to case. */
  readonly name: string
  /** The RTP clock, Hz. */
  readonly rate: number
  /** Default 1. */
  readonly channels?: number
  readonly payloadType: number
  readonly fmtp?: string
}

/** G.711 µ-law at its static payload type 0. */
export const pcmu: Codec = { name: 'PCMU', rate: 8000, payloadType: 0 }
/** G.711 A-law at its static payload type 8. */
export const pcma: Codec = { name: 'PCMA', rate: 8000, payloadType: 8 }
/** G.722 at its static payload type 9; its clock is 8 kHz by an old mistake (RFC 3551 §4.5.2). */
export const g722: Codec = { name: 'G722', rate: 8000, payloadType: 9 }
/** Always 48,000 Hz and two channels, whatever is sent (RFC 7587 §7); at the payload type that browsers give it. */
export const opus: Codec = { name: 'opus', rate: 48_000, channels: 2, payloadType: 111, fmtp: 'useinbandfec=1' }
/** RFC 3389 §4. */
export const comfortNoise: Codec = { name: 'CN', rate: 8000, payloadType: 13 }

/** RFC 3551 §6, table 4: what a payload type means without an rtpmap. */
const staticCodecs: ReadonlyMap<number, Codec> = new Map(
  [
    pcmu,
    { name: 'GSM', rate: 8000, payloadType: 3 },
    { name: 'G723', rate: 8000, payloadType: 4 },
    { name: 'DVI4', rate: 8000, payloadType: 5 },
    { name: 'DVI4', rate: 16000, payloadType: 6 },
    { name: 'LPC', rate: 8000, payloadType: 7 },
    pcma,
    g722,
    { name: 'L16', rate: 44100, channels: 2, payloadType: 10 },
    { name: 'L16', rate: 44100, payloadType: 11 },
    { name: 'QCELP', rate: 8000, payloadType: 12 },
    comfortNoise,
    { name: 'G728', rate: 8000, payloadType: 15 },
    { name: 'G729', rate: 8000, payloadType: 18 },
  ].map(codec => [codec.payloadType, codec]),
)

const rtpmap = /^(\d{1,3})\s+([^\s/]+)\/(\d{1,6})(?:\/(\d{1,2}))?\s*$/
const fmtp = /^(\d{1,3})\s+(\S.*)$/

/**
 * The codecs of a stream in its order of preference. An rtpmap that cannot be (payload type over 127, no rate) is
 * ignored, and so is a dynamic payload type without one.
 */
export function codecsOf(media: MediaDescription): readonly Codec[] {
  const mapped = new Map<number, Codec>()
  const formats = new Map<number, string>()
  for (const { name, value = '' } of media.attributes) {
    if (name === 'rtpmap') {
      const codec = parseRtpmap(value)
      if (codec !== undefined && !mapped.has(codec.payloadType)) mapped.set(codec.payloadType, codec)
    } else if (name === 'fmtp') {
      const [, type = '', text = ''] = fmtp.exec(value) ?? []
      const payloadType = boundedNumber(type, 127)
      if (payloadType !== undefined && !formats.has(payloadType)) formats.set(payloadType, text)
    }
  }
  const codecs: Codec[] = []
  for (const format of new Set(media.formats)) {
    const payloadType = boundedNumber(format, 127)
    if (payloadType === undefined) continue
    const codec = mapped.get(payloadType) ?? staticCodecs.get(payloadType)
    if (codec === undefined) continue
    const text = formats.get(payloadType)
    codecs.push(text === undefined ? codec : { ...codec, fmtp: text })
  }
  return codecs
}

function parseRtpmap(value: string): Codec | undefined {
  const match = rtpmap.exec(value.trimStart())
  const payloadType = boundedNumber(match?.[1] ?? '', 127)
  const rate = Number(match?.[3] ?? 0)
  if (match === null || payloadType === undefined || rate === 0) return undefined
  const channels = Number(match[4] ?? 1)
  return { name: match[2] ?? '', rate, payloadType, ...(channels > 1 ? { channels } : {}) }
}

export const sameCodec = (a: Omit<Codec, 'payloadType'>, b: Omit<Codec, 'payloadType'>): boolean =>
  a.name.toLowerCase() === b.name.toLowerCase() && a.rate === b.rate && (a.channels ?? 1) === (b.channels ?? 1)

export const formatRtpmap = ({ payloadType, name, rate, channels = 1 }: Codec): string =>
  `${payloadType} ${name}/${rate}${channels > 1 ? `/${channels}` : ''}`
