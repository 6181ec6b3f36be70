// The door of `sauti/sip`: what a program that is not the switch reads and writes SIP with. It stays when the inside
// changes; the switch itself uses index.ts.

export type { Parsed } from './base/parsed.ts'
export { type DigestAlgorithm, digestAlgorithms, type Hash } from './digest/algorithm.ts'
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
export { createNonce, type NonceRules } from './digest/nonce.ts'
export { NonceCounts } from './digest/nonce-counts.ts'
export { ha1Of } from './digest/response.ts'
export { type Parameter, parameterOf } from './grammar/parameters.ts'
export { type Contact, formatContact, parseContact } from './header/contact.ts'
export { type CSeq, formatCSeq, parseCSeq } from './header/cseq.ts'
export { formatNameAddr, type NameAddr, type NameAddrFault, parseNameAddr, tagOf, withTag } from './header/name-addr.ts'
export { formatReason, parseReason, q850CauseOf, type Reason } from './header/reason.ts'
export { formatRoute, isLooseRoute, parseRoutes } from './header/route.ts'
export { formatSessionExpires, parseSessionExpires, type SessionExpires } from './header/session-expires.ts'
export { branchOf, formatVia, parseVia, receivedOf, rportOf, type Via, type ViaFault } from './header/via.ts'
export type { MessageFault, ParsedMessage, ParseFault } from './message/fault.ts'
export { formatMessage } from './message/format.ts'
export { headerOf, headersOf, withBody, withHeader, withHeaderAdded, withoutHeader } from './message/headers.ts'
export { messageLimits } from './message/limits.ts'
export type { HeaderField, SipMessage, SipRequest, SipResponse } from './message/message.ts'
export { parseMessage } from './message/parse.ts'
export { type Answered, answerOffer, type Negotiation, readAnswer } from './sdp/answer.ts'
export { attributeOf, type Direction, directionOf, ptimeOf, rtcpPortOf } from './sdp/attributes.ts'
export { type Codec, codecsOf, g722, opus, pcma, pcmu } from './sdp/codec.ts'
export type { CryptoLine, CryptoSuite } from './sdp/crypto.ts'
export type { LocalMedia } from './sdp/describe.ts'
export { formatSdp } from './sdp/format.ts'
export { connectionOf, type MediaAddress, mediaAddress } from './sdp/media-address.ts'
export type { AgreedCodec, Negotiated, NegotiationFault, RemoteMedia } from './sdp/negotiated.ts'
export { createOffer } from './sdp/offer.ts'
export { parseSdp, type SdpFault } from './sdp/parse.ts'
export {
  type Attribute,
  type Connection,
  type MediaDescription,
  type Origin,
  type SessionDescription,
  sdpLimits,
} from './sdp/session.ts'
export { type Framed, StreamFramer } from './stream/framer.ts'
export { sameUri } from './uri/compare.ts'
export { escapeUser, unescapeUri } from './uri/escape.ts'
export { formatUri, subscriberOf, uriParameterOf, userOf } from './uri/format.ts'
export { formatHostPort, type HostPort, parseHostPort } from './uri/host.ts'
export { parseUri } from './uri/parse.ts'
export type { OtherUri, SipUri, TelUri, Uri, UriFault } from './uri/uri.ts'
