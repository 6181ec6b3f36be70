import type { Negotiation } from './answer.ts'
import { directionOf, hasRtcpMux, ptimeOf } from './attributes.ts'
import { type BrowserLocal, browserAgreed } from './browser.ts'
import { type Codec, codecsOf } from './codec.ts'
import { acceptedCrypto, type CryptoLocal } from './crypto.ts'
import { extendedReportsOf } from './extended-reports.ts'
import {
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
import type { SessionDescription } from './session.ts'

/** How our offer said that packets go. */
interface OurMeans {
  readonly browser?: BrowserLocal | undefined
  readonly crypto?: CryptoLocal | undefined
}

const fault = (reason: NegotiationFault): Negotiation<never> => ({ ok: false, reason })

const bothWays = (sent: Codec, received: Codec) => ({
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
  const agreed = browser && browserAgreed(answer, theirs, browser, true)
  const keys = crypto && acceptedCrypto(crypto, theirs)
  if ((isBrowser && agreed === undefined) || (crypto !== undefined && keys === undefined)) return fault('bad-transport')
  const rtcpMux = hasRtcpMux(ours) && hasRtcpMux(theirs)
  const found = agreed === undefined ? remoteOf(answer, theirs, rtcpMux) : { remote: browserRemote }
  if (typeof found === 'string') return fault(found)
  const { remote } = found
  const [event, ...moreEvents] = telephoneEventsOf(answered, codec.rate).flatMap(sent => {
    const received = telephoneEventsOf(offered, codec.rate).find(own => own.rate === sent.rate)
    return received === undefined ? [] : [{ sent, received }]
  })
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
      extendedReports: extendedReportsOf(offer, ours) && extendedReportsOf(answer, theirs),
      ...(agreed === undefined ? {} : { browser: agreed }),
      ...(keys === undefined ? {} : { crypto: keys }),
      mediaIndex,
    },
  }
}
