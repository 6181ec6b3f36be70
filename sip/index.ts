// The pure door of the protocol library: no sockets, no clock, no randomness; runs in the browser too.

export { seedTextMaps, TextMap } from './base/text-map.ts'
export { withoutTrailing } from './base/trailing.ts'
export { Dialog, dialogOfCallee, dialogOfCaller } from './dialog/dialog.ts'
export { type Hash, hashNames } from './digest/algorithm.ts'
export type { EndpointCallDump } from './endpoint/call-dump.ts'
export { cancelOf } from './endpoint/calls/invite-request.ts'
export { Endpoint } from './endpoint/endpoint.ts'
export type { PeerConfig } from './endpoint/peers/peer.ts'
export type { BindingTarget, DialTarget } from './endpoint/services/call-command.ts'
export type { CallEvent, PhoneOffer } from './endpoint/services/call-event.ts'
export type { Counters } from './endpoint/services/counters.ts'
export type { InviteGate } from './endpoint/services/invite-gate.ts'
export { buildRequest, hopOf } from './endpoint/services/request.ts'
export { defaultLimits, type EndpointLimits } from './endpoint/services/settings.ts'
export { InviteExchange } from './invite/invite-exchange.ts'
export type {
  OfferInput,
  OfferState,
} from './invite/offer-answer.ts'
export { glareWaitMs, retryAfterSeconds } from './invite/offer-waits.ts'
export { formatMessage } from './message/format.ts'
export { assemble, parseHead } from './message/head.ts'
export { headerOf, headersOf } from './message/headers.ts'
export type { HeaderField, SipMessage, SipRequest, SipResponse } from './message/message.ts'
export { parseMessage } from './message/parse.ts'
export { reasonPhrase } from './message/reason-phrase.ts'
export { addressBytes, isForbiddenTarget, parseAddressRange, rangeHolds } from './network/address-range.ts'
export { defaultPort, type Flow, isWebSocket } from './network/flow.ts'
export type { PhoneDirectory, PhoneIdentity } from './registrar/phone.ts'
export { answerOffer, readAnswer } from './sdp/answer.ts'
export { maxPtimeOf, ptimeOf, receives, sends } from './sdp/attributes.ts'
export { type BrowserAgreed, type BrowserLocal, isBrowserStream } from './sdp/browser.ts'
export { type Codec, codecsOf, g722, opus, pcma, pcmu } from './sdp/codec.ts'
export {
  type CryptoAgreed,
  type CryptoLine,
  type CryptoLocal,
  cryptosOf,
  isCryptoStream,
  masterLengths,
} from './sdp/crypto.ts'
export type { LocalMedia } from './sdp/describe.ts'
export { formatSdp } from './sdp/format.ts'
export { audioRemoteOf, type Negotiated, type NegotiationFault } from './sdp/negotiated.ts'
export { createOffer } from './sdp/offer.ts'
export { parseSdp } from './sdp/parse.ts'
export type { SessionDescription } from './sdp/session.ts'
export { formatAckTo } from './transaction/ack.ts'
export type { IncomingRequest, IncomingResponse } from './transaction/incoming.ts'
export { branchCookie } from './transaction/key.ts'
export { TransactionLayer } from './transaction/layer.ts'
export { Timer, TimerQueue } from './transaction/timer-queue.ts'
export { defaultTimers } from './transaction/timer-settings.ts'
export type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
  TransactionFault,
} from './transaction/transaction.ts'
export { escapeUser } from './uri/escape.ts'
export { formatUri, subscriberOf } from './uri/format.ts'
export { formatHostPort } from './uri/host.ts'
export { parseUri } from './uri/parse.ts'
