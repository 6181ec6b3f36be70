import { hasRtcpMux } from './attributes.ts'
import { type BrowserAgreed, type BrowserSetup, browserAgreed } from './browser.ts'
import { type Codec, codecsOf, sameCodec } from './codec.ts'
import { answeredCrypto } from './crypto.ts'
import { describeAudio, describeSession, type LocalMedia, switchedOff, telephoneEventCodec } from './describe.ts'
import { extendedReportsOf, withExtendedReports } from './extended-reports.ts'
import {
  type AgreedCodec,
  agreedCodecs,
  browserRemote,
  comfortNoiseOf,
  directionFrom,
  isOurs,
  type Negotiated,
  type NegotiationFault,
  ptimeFor,
  remoteOf,
  telephoneEventsOf,
} from './negotiated.ts'
import type { MediaDescription, SessionDescription } from './session.ts'

/** An answer to be sent, and what it settles. */
export interface Answered {
  readonly answer: SessionDescription
  readonly negotiated: Negotiated
}

/** What offer and answer came to, or why they came to nothing: then the INVITE is refused with 488. */
export type Negotiation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: NegotiationFault }

/**
 * RFC 3264 §6: takes the first audio stream that can be taken, with one codec, by our order or the offer's, at the offer's
 * payload type; refuses every other stream in its place.
 */
export function answerOffer(offer: SessionDescription, local: LocalMedia): Negotiation<Answered> {
  let reason: NegotiationFault = 'no-audio'
  for (const [at, media] of offer.media.entries()) {
    if (!isOurs(media, local)) continue
    const taken = takeStream(offer, media, local, at)
    if (typeof taken === 'string') {
      reason = taken
      continue
    }
    const streams = offer.media.map((stream, place) =>
      place === at ? taken.audio : switchedOff(stream.media, stream.protocol, stream.formats),
    )
    return {
      ok: true,
      value: { answer: describeSession(local, streams, taken.audio, offer), negotiated: taken.negotiated },
    }
  }
  return { ok: false, reason }
}

function takeStream(
  offer: SessionDescription,
  media: MediaDescription,
  local: LocalMedia,
  mediaIndex: number,
): { readonly audio: MediaDescription; readonly negotiated: Negotiated } | NegotiationFault {
  const theirs = codecsOf(media)
  const chosen = chooseCodec(theirs, local)
  if (chosen === undefined) return 'no-common-codec'
  const { ours, codec } = chosen
  const browser = local.browser && browserAgreed(offer, media, local.browser, false)
  if (local.browser !== undefined && browser === undefined) return 'bad-transport'
  const crypto = local.crypto && answeredCrypto(local.crypto, media)
  if (local.crypto !== undefined && crypto === undefined) return 'bad-transport'
  const rtcpMux = browser !== undefined || (local.rtcpMux === true && hasRtcpMux(media))
  const found = browser === undefined ? remoteOf(offer, media, rtcpMux) : { remote: browserRemote }
  if (typeof found === 'string') return found
  const { remote } = found
  const direction = directionFrom(local.direction ?? 'sendrecv', offer, media, remote)
  const ptimeMs = ptimeFor(media, local.ptimeMs)
  const events = local.telephoneEvent === undefined ? [] : telephoneEventsOf(theirs, codec.rate)
  const [event, ...moreEvents] = events
  const noise = local.comfortNoise === true ? comfortNoiseOf(theirs, codec.rate) : undefined
  const reports = local.extendedReports === true ? extendedReportsOf(offer, media) : undefined
  const own = [
    ours,
    ...(noise === undefined ? [] : [noise]),
    ...events.map(({ payloadType, rate }) => telephoneEventCodec(payloadType, rate)),
  ]
  return {
    audio: withExtendedReports(
      describeAudio(local, own, ptimeMs, direction, rtcpMux, {
        setup: setupOf(browser),
        offered: media,
        crypto: crypto?.local,
      }),
      reports,
    ),
    negotiated: {
      remote,
      codec,
      codecs: [codec],
      telephoneEvent: event && sameBothWays(event),
      eventClockRate: event?.rate ?? codec.rate,
      moreEvents: moreEvents.map(({ payloadType, rate }) => ({ receivePayloadType: payloadType, clockRate: rate })),
      comfortNoise: noise && sameBothWays(noise),
      ptimeMs,
      direction,
      rtcpMux,
      extendedReports: reports,
      ...(browser === undefined ? {} : { browser }),
      ...(crypto === undefined ? {} : { crypto }),
      mediaIndex,
    },
  }
}

/** An answer uses the offer's numbers. */
const sameBothWays = ({ payloadType }: Codec) => ({ sendPayloadType: payloadType, receivePayloadType: payloadType })

const setupOf = (browser: BrowserAgreed | undefined): BrowserSetup =>
  browser?.role === 'client' ? 'active' : 'passive'

/** The first codec in the order that decides which both have, both ways at the offer's number. */
function chooseCodec(
  theirs: readonly Codec[],
  { codecs, codecOrder }: LocalMedia,
): { readonly ours: Codec; readonly codec: AgreedCodec } | undefined {
  const ours = codecOrder === 'offer' ? theirs.flatMap(codec => codecs.filter(own => sameCodec(own, codec))) : codecs
  for (const own of ours) {
    const [codec] = agreedCodecs(theirs, [own])
    if (codec === undefined) continue
    const { sendPayloadType: payloadType } = codec
    return { ours: { ...own, payloadType }, codec: { ...codec, receivePayloadType: payloadType } }
  }
  return undefined
}
