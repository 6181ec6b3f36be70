import { directionOf, hasRtcpMux, ptimeOf } from './attributes.ts'
import { type BrowserAgreed, type BrowserLocal, type BrowserSetup, browserAgreed } from './browser.ts'
import { type Codec, codecsOf, sameCodec } from './codec.ts'
import { acceptedCrypto, answeredCrypto, type CryptoLocal } from './crypto.ts'
import { describeAudio, describeSession, type LocalMedia, switchedOff, telephoneEventCodec } from './describe.ts'
import { extendedReportsOf } from './extended-reports.ts'
import {
  type AgreedCodec,
  agreed,
  agreedCodecs,
  browserRemote,
  comfortNoiseOf,
  directionFrom,
  isOurs,
  isSpeech,
  type Negotiated,
  type NegotiationFault,
  ptimeFor,
  remoteOf,
  telephoneEventOf,
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
  for (let at = 0; at < offer.media.length; at++) {
    const media = offer.media[at]!
    if (!isOurs(media, local)) continue
    const taken = takeStream(offer, media, local, at)
    if (typeof taken === 'string') {
      reason = taken
      continue
    }
    const streams = offer.media.map((stream, place) => (place === at ? taken.audio : switchedOff(stream)))
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
  const own = noise === undefined ? [ours] : [ours, noise]
  for (const { payloadType, rate } of events) own.push(telephoneEventCodec(payloadType, rate))
  return {
    audio: describeAudio(local, own, ptimeMs, direction, rtcpMux, {
      setup: setupOf(browser),
      offered: media,
      crypto: crypto?.local,
      extendedReports: reports,
    }),
    negotiated: {
      remote,
      codec,
      codecs: [codec],
      telephoneEvent: event && bothWays(event),
      eventClockRate: event?.rate ?? codec.rate,
      moreEvents: moreEvents.map(({ payloadType, rate }) => ({ receivePayloadType: payloadType, clockRate: rate })),
      comfortNoise: noise && bothWays(noise),
      ptimeMs,
      direction,
      rtcpMux,
      extendedReports: reports,
      mediaIndex,
      ...(browser === undefined ? undefined : { browser }),
      ...(crypto === undefined ? undefined : { crypto }),
    },
  }
}

const setupOf = (browser: BrowserAgreed | undefined): BrowserSetup =>
  browser?.role === 'client' ? 'active' : 'passive'

/** A codec that both have, both ways at the offer's number. */
interface ChosenCodec {
  readonly ours: Codec
  readonly codec: AgreedCodec
}

/** The first codec in the order that decides which both have. */
function chooseCodec(theirs: readonly Codec[], { codecs, codecOrder }: LocalMedia): ChosenCodec | undefined {
  if (codecOrder !== 'offer') {
    for (const own of codecs) {
      const codec = theirs.find(offered => isSpeech(offered) && sameCodec(own, offered))
      if (codec !== undefined) return chosen(codec, own)
    }
    return undefined
  }
  for (const codec of theirs) {
    const own = isSpeech(codec) ? codecs.find(known => sameCodec(known, codec)) : undefined
    if (own !== undefined) return chosen(codec, own)
  }
  return undefined
}

function chosen(theirs: Codec, own: Codec): ChosenCodec {
  const ours = { ...own, payloadType: theirs.payloadType }
  return { ours, codec: agreed(theirs, ours) }
}

/** How our offer said that packets go. */
interface OurMeans {
  readonly browser?: BrowserLocal | undefined
  readonly crypto?: CryptoLocal | undefined
}

const fault = (reason: NegotiationFault): Negotiation<never> => ({ ok: false, reason })

/** An answer that we make uses the offer's numbers both ways. */
const bothWays = (sent: Codec, received: Codec = sent) => ({
  sendPayloadType: sent.payloadType,
  receivePayloadType: received.payloadType,
})

/**
 * RFC 3264 §7: what the remote made of our offer. Of several codecs the first is what we send, and all may come in.
 * A codec that the answer renumbers is sent by its number and received by ours. `means`: what our offer said of us.
 */
export function readAnswer(
  offer: SessionDescription,
  answer: SessionDescription,
  means: OurMeans = {},
): Negotiation<Negotiated> {
  const { browser, crypto } = means
  const isBrowser = browser !== undefined
  const mediaIndex = offer.media.findIndex(stream => isOurs(stream, means))
  const ours = offer.media[mediaIndex]
  const theirs = answer.media[mediaIndex]
  if (ours === undefined || theirs === undefined || theirs.media.toLowerCase() !== 'audio') return fault('bad-answer')
  if (theirs.port === 0) return fault('no-common-codec')
  if (!isOurs(theirs, means)) return fault('bad-answer')
  const offered = codecsOf(ours)
  const answered = codecsOf(theirs)
  const codecs = agreedCodecs(answered, offered)
  const codec = codecs[0]
  if (codec === undefined) return fault('no-common-codec')
  const terms = browser && browserAgreed(answer, theirs, browser, true)
  const keys = crypto && acceptedCrypto(crypto, theirs)
  if ((isBrowser && terms === undefined) || (crypto !== undefined && keys === undefined)) return fault('bad-transport')
  const rtcpMux = hasRtcpMux(ours) && hasRtcpMux(theirs)
  const found = terms === undefined ? remoteOf(answer, theirs, rtcpMux) : { remote: browserRemote }
  if (typeof found === 'string') return fault(found)
  const { remote } = found
  const [event, ...moreEvents] = telephoneEventsOf(answered, codec.rate).flatMap(sent => {
    const received = telephoneEventOf(offered, sent.rate)
    return received === undefined ? [] : [{ sent, received }]
  })
  const reports = extendedReportsOf(answer, theirs)
  const sentNoise = comfortNoiseOf(answered, codec.rate)
  const receivedNoise = comfortNoiseOf(offered, codec.rate)
  return {
    ok: true,
    value: {
      remote,
      codec,
      codecs,
      telephoneEvent: event && bothWays(event.sent, event.received),
      eventClockRate: event?.sent.rate ?? codec.rate,
      moreEvents: moreEvents.map(({ received }) => ({
        receivePayloadType: received.payloadType,
        clockRate: received.rate,
      })),
      comfortNoise: sentNoise && receivedNoise && bothWays(sentNoise, receivedNoise),
      ptimeMs: ptimeFor(theirs, ptimeOf(ours) ?? 20),
      direction: directionFrom(directionOf(offer, ours), answer, theirs, remote),
      rtcpMux,
      extendedReports: reports && extendedReportsOf(offer, ours) && reports,
      mediaIndex,
      ...(terms === undefined ? undefined : { browser: terms }),
      ...(keys === undefined ? undefined : { crypto: keys }),
    },
  }
}
