import type { Codec } from './codec.ts'
import {
  clampPtime,
  describeAudio,
  describeSession,
  type LocalMedia,
  switchedOff,
  telephoneEventCodec,
  withPreviousNumbers,
} from './describe.ts'
import { ownExtendedReports } from './extended-reports.ts'
import { isOurs } from './negotiated.ts'
import type { MediaDescription, SessionDescription } from './session.ts'

/** RFC 3264 §5, and §8 when there is a previous description: our audio in its place, every other stream off. */
export function createOffer(local: LocalMedia): SessionDescription {
  const streams = local.previous?.media ?? []
  const place = placeOf(streams, local)
  const codecs = withPreviousNumbers([...local.codecs, ...events(local)], streams[place])
  const audio = describeAudio(
    local,
    codecs,
    clampPtime(local.ptimeMs),
    local.direction ?? 'sendrecv',
    local.rtcpMux ?? false,
    {
      offered: local.crypto === undefined ? undefined : streams[place],
      extendedReports: local.extendedReports === true ? ownExtendedReports : undefined,
    },
  )
  const media = streams.map(switchedOff)
  media[place] = audio
  return describeSession(local, media, audio)
}

/** Where our audio was; a stream that is off may be switched on again; else one more is added (RFC 3264 §8.1). */
function placeOf(streams: readonly MediaDescription[], local: LocalMedia): number {
  const live = streams.findIndex(stream => isOurs(stream, local))
  if (live !== -1) return live
  const off = streams.findIndex(stream => stream.media.toLowerCase() === 'audio')
  return off === -1 ? streams.length : off
}

/**
 * One telephone-event for each clock among the codecs, numbered onwards from the one given, whatever codec is preferred:
 * that which counts in 8,000ths comes first, for remotes that know it by its number.
 */
function events({ codecs, telephoneEvent }: LocalMedia): Codec[] {
  const named: Codec[] = []
  if (telephoneEvent === undefined) return named
  let next = telephoneEvent
  for (let rate = rateAbove(codecs, 0); rate !== undefined; rate = rateAbove(codecs, rate)) {
    while (isTaken(codecs, next) || isTaken(named, next)) next = next === 127 ? 96 : next + 1
    named.push(telephoneEventCodec(next, rate))
  }
  return named
}

/** The lowest clock among the codecs that is higher than this one. */
function rateAbove(codecs: readonly Codec[], rate: number): number | undefined {
  let lowest: number | undefined
  for (const codec of codecs)
    if (codec.rate > rate && (lowest === undefined || codec.rate < lowest)) lowest = codec.rate
  return lowest
}

const isTaken = (codecs: readonly Codec[], payloadType: number): boolean =>
  codecs.some(codec => codec.payloadType === payloadType)
