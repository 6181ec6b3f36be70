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

export const formatRtpmap = ({ payloadType, name, rate, channels = 1 }: Codec): string =>
  `${payloadType} ${name}/${rate}${channels > 1 ? `/${channels}` : ''}`

/** What nearly every sender writes, by the whole value of its rtpmap: known without a match of the pattern, and shared. */
const usualCodecs: ReadonlyMap<string, Codec> = new Map(
  [
    ...staticCodecs.values(),
    { name: opus.name, rate: opus.rate, channels: 2, payloadType: opus.payloadType },
    ...[8000, 48_000].flatMap(rate =>
      Array.from({ length: 32 }, (_, at) => ({ name: 'telephone-event', rate, payloadType: 96 + at })),
    ),
  ].map(codec => [formatRtpmap(codec), codec]),
)

const rtpmap = /^\d{1,3}\s+[^\s/]+\/\d{1,6}(?:\/\d{1,2})?\s*$/
const fmtp = /^\d{1,3}\s+\S.*$/
const blank = /\s/

/** What `a=fmtp` says of a payload type. */
interface Parameters {
  readonly payloadType: number
  readonly fmtp: string
}

/**
 * The codecs of a stream in its order of preference. An rtpmap that cannot be (payload type over 127, no rate) is
 * ignored, and so is a dynamic payload type without one.
 */
export function codecsOf({ attributes, formats }: MediaDescription): readonly Codec[] {
  const mapped: Codec[] = []
  const described: Parameters[] = []
  for (const { name, value = '' } of attributes) {
    if (name === 'rtpmap') addFirst(mapped, usualCodecs.get(value) ?? parseRtpmap(value))
    else if (name === 'fmtp') addFirst(described, parseFmtp(value))
  }
  const codecs: Codec[] = []
  for (let at = 0; at < formats.length; at++) {
    const format = formats[at]!
    const payloadType = boundedNumber(format, 127)
    if (payloadType === undefined || formats.indexOf(format) < at) continue
    const codec = ofType(mapped, payloadType) ?? staticCodecs.get(payloadType)
    if (codec === undefined) continue
    const parameters = ofType(described, payloadType)
    codecs.push(parameters === undefined ? codec : { ...codec, fmtp: parameters.fmtp })
  }
  return codecs
}

/** At most one of each of the 128 payload types. */
function ofType<T extends { readonly payloadType: number }>(known: readonly T[], payloadType: number): T | undefined {
  for (const each of known) if (each.payloadType === payloadType) return each
  return undefined
}

/** Of several for one payload type the first is valid. */
function addFirst<T extends { readonly payloadType: number }>(known: T[], next: T | undefined): void {
  if (next !== undefined && ofType(known, next.payloadType) === undefined) known.push(next)
}

function parseRtpmap(value: string): Codec | undefined {
  const text = value.trimStart()
  if (!rtpmap.test(text)) return undefined
  const payloadType = Number.parseInt(text, 10)
  const slash = text.indexOf('/')
  const rate = Number.parseInt(text.slice(slash + 1), 10)
  if (payloadType > 127 || rate === 0) return undefined
  const name = text.slice(text.search(blank), slash).trimStart()
  const more = text.indexOf('/', slash + 1)
  const channels = more === -1 ? 1 : Number.parseInt(text.slice(more + 1), 10)
  return channels > 1 ? { name, rate, payloadType, channels } : { name, rate, payloadType }
}

function parseFmtp(value: string): Parameters | undefined {
  if (!fmtp.test(value)) return undefined
  const payloadType = Number.parseInt(value, 10)
  return payloadType > 127 ? undefined : { payloadType, fmtp: value.slice(value.search(blank)).trimStart() }
}

export const sameCodec = (a: Omit<Codec, 'payloadType'>, b: Omit<Codec, 'payloadType'>): boolean =>
  a.rate === b.rate &&
  (a.channels ?? 1) === (b.channels ?? 1) &&
  (a.name === b.name || a.name.toLowerCase() === b.name.toLowerCase())
