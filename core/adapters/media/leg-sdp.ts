import type { BrowserTerms, MediaKeys } from '../../../rtp/index.ts'
import type { Agreement, RemoteAddress } from '../../../rtp/worker/index.ts'
import {
  answerOffer,
  audioRemoteOf,
  type Codec,
  type CryptoLocal,
  createOffer,
  formatSdp,
  g722,
  type LocalMedia,
  maxPtimeOf,
  type Negotiated,
  type NegotiationFault,
  opus,
  parseSdp,
  pcma,
  pcmu,
  ptimeOf,
  readAnswer,
  receives,
  type SessionDescription,
  sends,
} from '../../../sip/index.ts'
import { type CodecName, codecNames } from '../../model/trunk.ts'
import type { Random } from '../../ports/clock.ts'
import type { SdpWarning } from '../../ports/media.ts'
import type { BrowserSide } from './browser-side.ts'
import type { KeySide } from './key-side.ts'
import { opusWishesOf } from './opus-wishes.ts'

/** What our offers give to telephone-event, as nearly everybody does. */
const telephoneEvent = 101
const ptimeMs = 20
const known: Readonly<Record<CodecName, Codec>> = { PCMU: pcmu, PCMA: pcma, G722: g722, opus }

type SdpRefusal = 'no-common-codec' | 'bad-sdp'

export type Negotiation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly fault: SdpRefusal; readonly detail: string; readonly warning?: SdpWarning }

/** A number for the origin of an SDP (RFC 8866 §5.2), of 48 bits. */
export const newSessionId = (random: Random): string => String(random.bytes(6).reduce((id, byte) => id * 256 + byte, 0))

/** What offer and answer mean for media. */
export interface Agreed {
  readonly agreement: Agreement
  /** Set for a browser's leg. */
  readonly browser?: BrowserTerms
  /** What protects its packets; missing: they are plain. */
  readonly keys?: MediaKeys
}

/** With the description to send back. */
export interface Answer extends Agreed {
  readonly sdp: string
}

const refuse = (fault: SdpRefusal, detail: string, warning?: SdpWarning): Negotiation<never> =>
  warning === undefined ? { ok: false, fault, detail } : { ok: false, fault, detail, warning }

/** RFC 3261 §20.43: what the 488 says of it. */
const warnings: Readonly<Record<NegotiationFault | 'other-family', SdpWarning | undefined>> = {
  'no-audio': { code: 304, text: 'Media type not available: no audio over a transport that is taken' },
  'no-common-codec': { code: 305, text: 'Incompatible media format: no common codec' },
  'no-connection': { code: 301, text: 'Incompatible network address formats: the session has no c= line' },
  'bad-address': { code: 301, text: 'Incompatible network address formats: a name, multicast or link-local address' },
  'bad-transport': { code: 302, text: 'Incompatible transport protocol: keys or fingerprint that are not taken' },
  'bad-answer': undefined,
  'other-family': { code: 301, text: 'Incompatible network address formats: this leg has no address of that family' },
}

const refusals: Readonly<Record<NegotiationFault, SdpRefusal>> = {
  'no-audio': 'no-common-codec',
  'no-common-codec': 'no-common-codec',
  'no-connection': 'bad-sdp',
  'bad-address': 'bad-sdp',
  'bad-answer': 'bad-sdp',
  'bad-transport': 'bad-sdp',
}

/** Reads what a remote sent; undefined when it is no SDP. */
export const readSdp = (sdp: string): SessionDescription | undefined => {
  const parsed = parseSdp(sdp)
  return parsed.ok ? parsed.value : undefined
}

/** Where a remote's plain audio comes from and goes to; undefined = nowhere for now. */
export const remoteIn = (session: SessionDescription): RemoteAddress | undefined => {
  const remote = audioRemoteOf(session)
  return remote && { address: remote.address, port: remote.port, rtcpPort: remote.rtcpPort ?? 0 }
}

/** The address that an offer names for its audio, to choose our own by. */
export const addressIn = (session: SessionDescription): string | undefined =>
  session.media.find(media => media.connections.length > 0)?.connections[0]?.address ?? session.connection?.address

interface LegSdpOptions {
  readonly address: string
  readonly port: number
  readonly sessionId: string
  /** In our order of preference; empty = all: an answer then keeps the order of the offer. */
  readonly codecs: readonly CodecName[]
  /** Offered first when `codecs` is empty. */
  readonly prefer: readonly CodecName[]
  /** Set for a browser's leg. */
  readonly browser: BrowserSide | undefined
  /** Where keys in SDP may protect its packets. */
  readonly keys: KeySide | undefined
}

/** All codecs, these before the others. */
function inOrder(first: readonly CodecName[]): readonly CodecName[] {
  const names: CodecName[] = []
  for (const name of first) if (!names.includes(name)) names.push(name)
  for (const name of codecNames) if (!names.includes(name)) names.push(name)
  return names
}

/** Offers and answers of one leg: what was said last, so that the next keeps its numbers and moves its version. */
export class LegSdp {
  #media: LocalMedia
  readonly #browser: BrowserSide | undefined
  readonly #keys: KeySide | undefined
  #previous: SessionDescription | undefined
  /** Our last offer; answers to it may come several times. */
  #offer: SessionDescription | undefined
  /** How that said that packets are protected. */
  #offeredCrypto: CryptoLocal | undefined

  constructor({ address, port, sessionId, codecs, prefer, browser, keys }: LegSdpOptions) {
    const names = codecs.length === 0 ? inOrder(prefer) : codecs
    this.#browser = browser
    this.#keys = keys
    this.#media = {
      address,
      port,
      codecs: names.map(name => known[name]),
      codecOrder: codecs.length === 0 ? 'offer' : 'ours',
      telephoneEvent,
      comfortNoise: true,
      // Browsers have no use for them.
      extendedReports: browser === undefined,
      ptimeMs,
      sessionId,
    }
  }

  /** The next offer or answer names this port. */
  moveTo(port: number): void {
    this.#media = { ...this.#media, port }
  }

  offer(): string {
    this.#offeredCrypto = this.#keys?.forOffer
    const offer = createOffer(this.#localWith(this.#offeredCrypto, this.#media.codecs))
    this.#previous = offer
    this.#offer = offer
    return formatSdp(offer)
  }

  /** `prefer`: taken, whatever the order, if the offer has it and it may be used. */
  answer(offer: SessionDescription, prefer?: CodecName): Negotiation<Answer> {
    const preferred = prefer && this.#media.codecs.find(({ name }) => name === prefer)
    const wished = preferred && this.#answerWith(offer, [preferred])
    return wished?.ok ? wished : this.#answerWith(offer, this.#media.codecs)
  }

  #answerWith(offer: SessionDescription, codecs: readonly Codec[]): Negotiation<Answer> {
    const crypto = this.#keys?.forAnswer(offer)
    let answered = answerOffer(offer, this.#localWith(crypto, codecs))
    const agreed = answered.ok ? answered.value.negotiated.browser : undefined
    // A restart: the answer carries names that did not exist before.
    if (agreed !== undefined && this.#browser?.renew(agreed) === true) {
      answered = answerOffer(offer, this.#localWith(crypto, codecs))
    }
    if (!answered.ok) return refuse(refusals[answered.reason], answered.reason, warnings[answered.reason])
    const { answer, negotiated } = answered.value
    const met = this.#agreed(negotiated, offer)
    if (met === undefined) return refuse('bad-sdp', 'an address of the other family', warnings['other-family'])
    this.#previous = answer
    return { ok: true, value: { sdp: formatSdp(answer), ...met } }
  }

  takeAnswer(sdp: string): Negotiation<Agreed> {
    const answer = readSdp(sdp)
    if (answer === undefined) return refuse('bad-sdp', 'not SDP')
    if (this.#offer === undefined) return refuse('bad-sdp', 'nothing was offered')
    const read = readAnswer(this.#offer, answer, { browser: this.#browser?.local, crypto: this.#offeredCrypto })
    if (!read.ok) return refuse(refusals[read.reason], read.reason)
    const met = this.#agreed(read.value, answer)
    return met === undefined ? refuse('bad-sdp', 'an address of the other family') : { ok: true, value: met }
  }

  #localWith(crypto: CryptoLocal | undefined, codecs: readonly Codec[]): LocalMedia {
    return {
      ...this.#media,
      codecs,
      previous: this.#previous,
      ...(this.#browser === undefined ? undefined : { browser: this.#browser.local }),
      ...(crypto === undefined ? undefined : { crypto }),
    }
  }

  #agreed(negotiated: Negotiated, theirs: SessionDescription): Agreed | undefined {
    const agreement = agreementOf(negotiated, theirs, this.#browser === undefined ? this.#media.address : undefined)
    if (agreement === undefined) return undefined
    const terms = negotiated.browser && this.#browser?.terms(negotiated.browser)
    const keys = this.#keys?.keys(negotiated.crypto)
    return {
      agreement,
      ...(terms === undefined ? undefined : { browser: terms }),
      ...(keys === undefined ? undefined : { keys }),
    }
  }
}

/** An IPv4 address that is written as one of IPv6 (RFC 4291 §2.5.5.2) is of neither: no packet goes there. */
const isSameFamily = (own: string, remote: string): boolean =>
  own.includes(':') === remote.includes(':') && !(remote.includes(':') && remote.includes('.'))

export const isCodecName = (name: string | undefined): name is CodecName => codecNames.some(known => known === name)

/** Undefined for an address that media cannot reach from `own`: it is of the other family. */
const agreementOf = (
  negotiated: Negotiated,
  theirs: SessionDescription,
  own: string | undefined,
): Agreement | undefined => {
  const { remote, codec, codecs, telephoneEvent: events, comfortNoise: noise, direction } = negotiated
  if (!isCodecName(codec.name)) return undefined
  if (own !== undefined && remote !== undefined && !isSameFamily(own, remote.address)) return undefined
  const media = theirs.media[negotiated.mediaIndex]
  const reports = negotiated.extendedReports
  const longest = media && maxPtimeOf(media)
  return {
    remote:
      remote === undefined ? undefined : { address: remote.address, port: remote.port, rtcpPort: remote.rtcpPort ?? 0 },
    send: sends(direction),
    receive: receives(direction),
    onHold: remote === undefined || direction !== 'sendrecv',
    codec: codec.name,
    payloadType: codec.sendPayloadType,
    accept: codecs.flatMap(({ name, receivePayloadType }) =>
      isCodecName(name) ? [{ payloadType: receivePayloadType, codec: name }] : [],
    ),
    sendEvents: events?.sendPayloadType,
    acceptEvents: events?.receivePayloadType,
    eventClockRate: negotiated.eventClockRate,
    moreEvents: negotiated.moreEvents.map(({ receivePayloadType: payloadType, clockRate }) => ({
      payloadType,
      clockRate,
    })),
    ptimeMs: negotiated.ptimeMs,
    ptimeAsked: media !== undefined && ptimeOf(media) !== undefined,
    ...(noise === undefined ? undefined : { sendNoise: noise.sendPayloadType, acceptNoise: noise.receivePayloadType }),
    ...(codec.name === 'opus' ? { opus: opusWishesOf(codec.fmtp) } : undefined),
    ...(reports === undefined
      ? undefined
      : {
          extendedReports: { voipMetrics: reports.voipMetrics, receiverTime: reports.receiverTime !== undefined },
        }),
    ...(longest === undefined ? undefined : { maxPtimeMs: longest }),
  }
}
