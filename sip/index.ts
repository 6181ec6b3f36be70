// The pure door of the protocol library: no sockets, no clock, no randomness; runs in the browser too.

export type { Parsed } from './base/parsed.ts'
export { Dialog, type DialogHead, type DialogStart } from './dialog/dialog.ts'
export { dialogOfCallee, dialogOfCaller, type RespondedInvite } from './dialog/invite-dialog.ts'
export { type OfferInput, type OfferState, offerAnswer, refusalOfOffer } from './dialog/offer-answer.ts'
export { type DigestAlgorithm, digestAlgorithms, type Hash, hashNames } from './digest/algorithm.ts'
export { type AnswerRules, answerChallenge, chooseChallenges } from './digest/answer-challenge.ts'
export {
  type ChallengeFault,
  type ChallengeRules,
  type DigestChallenge,
  formatChallenges,
  parseChallenge,
} from './digest/challenge.ts'
export { type CheckRules, type CheckVerdict, checkCredentials, type DigestSecret } from './digest/check.ts'
export { type CredentialsFault, type DigestCredentials, parseCredentials } from './digest/credentials.ts'
export { checkNonce, createNonce, type NonceRules } from './digest/nonce.ts'
export { ReplayWindow } from './digest/replay-window.ts'
export { type ClientNonce, ha1Of, type ResponseFields, responseOf, sameDigest } from './digest/response.ts'
export { cancelOf } from './endpoint/calls/invite-request.ts'
export { Endpoint } from './endpoint/endpoint.ts'
export type { EndpointInput, EndpointOutput } from './endpoint/input.ts'
export type { PeerConfig } from './endpoint/peers/peer.ts'
export type { DroppedCall } from './endpoint/routing/unknown-source-notices.ts'
export type { BindingTarget, CallCommand, DialTarget, HopName } from './endpoint/services/call-command.ts'
export type { CallCause, CallEvent, PhoneOffer } from './endpoint/services/call-event.ts'
export type { Counters } from './endpoint/services/counters.ts'
export { type InviteGate, phonesSource } from './endpoint/services/invite-gate.ts'
export type { ReasonHeader } from './endpoint/services/reason-header.ts'
export { buildRequest, hopOf } from './endpoint/services/request.ts'
export type { PeerState } from './endpoint/services/services.ts'
export { defaultLimits, type EndpointLimits, type EndpointSettings } from './endpoint/services/settings.ts'
export { AnsweredInvite } from './endpoint/session/answered-invite.ts'
export { splitList } from './grammar/comma-list.ts'
export {
  formatParameters,
  type Parameter,
  parameterOf,
  parseParameters,
  withoutParameter,
  withParameter,
} from './grammar/parameters.ts'
export { quote, unquote } from './grammar/quoted-string.ts'
export { isToken } from './grammar/token.ts'
export { acceptsType } from './header/accept.ts'
export { parseAssertedIdentity } from './header/asserted-identity.ts'
export {
  type Authentication,
  type AuthenticationParameter,
  authenticationParameterOf,
  formatAuthentication,
  isScheme,
  parseAuthentication,
} from './header/authentication.ts'
export { parseCallId } from './header/call-id.ts'
export {
  type Contact,
  contactExpiresOf,
  contactPreferenceOf,
  formatContact,
  parseContact,
} from './header/contact.ts'
export { parseContentLength } from './header/content-length.ts'
export { accepts, formatMediaType, type MediaType, parseMediaType } from './header/content-type.ts'
export { type CSeq, formatCSeq, parseCSeq } from './header/cseq.ts'
export { formatDate, parseDate } from './header/date.ts'
export { parseExpires } from './header/expires.ts'
export { parseMaxForwards } from './header/max-forwards.ts'
export {
  formatNameAddr,
  type NameAddr,
  type NameAddrFault,
  parseNameAddr,
  parseNameAddrs,
  tagOf,
  withTag,
} from './header/name-addr.ts'
export { formatRAck, parseRAck, type RAck } from './header/rack.ts'
export { formatReason, parseReason, q850CauseOf, type Reason } from './header/reason.ts'
export { parseRetryAfter } from './header/retry-after.ts'
export { formatRoute, isLooseRoute, parseRoute, parseRoutes } from './header/route.ts'
export { parseRSeq } from './header/rseq.ts'
export {
  formatSessionExpires,
  parseMinSe,
  parseSessionExpires,
  type SessionExpires,
} from './header/session-expires.ts'
export { formatTokens, includesToken, parseTokens } from './header/token-list.ts'
export {
  branchOf,
  formatVia,
  parseVia,
  receivedOf,
  rportOf,
  type Via,
  type ViaFault,
  withSource,
} from './header/via.ts'
export type { MessageFault, ParsedMessage, ParseFault } from './message/fault.ts'
export { formatMessage } from './message/format.ts'
export {
  countOf,
  headerOf,
  headersOf,
  withBody,
  withHeader,
  withHeaderAdded,
  withHeaderOnTop,
  withHeaders,
  withoutHeader,
} from './message/headers.ts'
export { messageLimits } from './message/limits.ts'
export type { HeaderField, SipMessage, SipRequest, SipResponse } from './message/message.ts'
export { knownMethods } from './message/method.ts'
export { parseMessage } from './message/parse.ts'
export {
  type Essentials,
  type Refusal,
  type RequestEssentials,
  type Validated,
  validateRequest,
  validateResponse,
} from './message/validate.ts'
export {
  type AddressRange,
  addressBytes,
  isForbiddenTarget,
  parseAddressRange,
  rangeHolds,
} from './network/address-range.ts'
export { defaultPort, type Flow, isWebSocket, type TransportName } from './network/flow.ts'
export type { Binding } from './registrar/binding.ts'
export type { PhoneDirectory, PhoneIdentity } from './registrar/phone.ts'
export { type Answered, answerOffer, type Negotiation } from './sdp/answer.ts'
export {
  attributeOf,
  type Direction,
  directionOf,
  hasRtcpMux,
  maxPtimeOf,
  ptimeOf,
  receives,
  rtcpPortOf,
  sends,
} from './sdp/attributes.ts'
export {
  type BrowserAgreed,
  type BrowserFingerprint,
  type BrowserLocal,
  type BrowserRole,
  isBrowserStream,
} from './sdp/browser.ts'
export { type Codec, codecsOf, g722, opus, pcma, pcmu, sameCodec } from './sdp/codec.ts'
export {
  type CryptoAgreed,
  type CryptoLine,
  type CryptoLocal,
  type CryptoSuite,
  cryptoSuites,
  cryptosOf,
  isCryptoStream,
  masterLengths,
} from './sdp/crypto.ts'
export type { LocalMedia } from './sdp/describe.ts'
export { formatSdp } from './sdp/format.ts'
export { connectionOf, type MediaAddress, mediaAddress } from './sdp/media-address.ts'
export {
  type AgreedCodec,
  type Negotiated,
  type NegotiationFault,
  ptimeRange,
  type RemoteMedia,
} from './sdp/negotiated.ts'
export { createOffer } from './sdp/offer.ts'
export { parseSdp, type SdpFault } from './sdp/parse.ts'
export { readAnswer } from './sdp/read-answer.ts'
export {
  type Attribute,
  type Connection,
  type MediaDescription,
  type Origin,
  type SessionDescription,
  sdpLimits,
} from './sdp/session.ts'
export { type Framed, StreamFramer } from './stream/framer.ts'
export { formatAckTo } from './transaction/ack.ts'
export type { IncomingRequest, IncomingResponse } from './transaction/incoming.ts'
export { branchCookie } from './transaction/key.ts'
export { TransactionLayer } from './transaction/layer.ts'
export { Timer, TimerQueue } from './transaction/timer-queue.ts'
export { defaultTimers, type TimerSettings } from './transaction/timer-settings.ts'
export type {
  ClientOwner,
  ClientTransaction,
  ServerOwner,
  ServerTransaction,
  TimerOwner,
  TransactionFault,
} from './transaction/transaction.ts'
export { sameUri } from './uri/compare.ts'
export { escapeHeader, escapeParameter, escapeUser, unescapeUri } from './uri/escape.ts'
export { formatUri, sipUri, subscriberOf, uriParameterOf, userOf } from './uri/format.ts'
export { formatHost, formatHostPort, type HostPort, isHostName, isIpv4, isIpv6, parseHostPort } from './uri/host.ts'
export { parseUri } from './uri/parse.ts'
export type { OtherUri, SipUri, TelUri, Uri, UriFault } from './uri/uri.ts'
