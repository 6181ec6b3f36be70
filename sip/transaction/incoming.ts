import type { SipRequest, SipResponse } from '../message/message.ts'
import type { Flow } from '../network/flow.ts'
import type { Uri } from '../uri/uri.ts'

/** The topmost Via: what matches a message to its transaction, and where a response goes. */
export interface TopVia {
  readonly branch: string | undefined
  readonly host: string
  readonly port: number | undefined
  /** The whole first value, for matching by RFC 2543's rules. */
  readonly text: string
  /** The same with `received` and `rport` filled in, for responses (RFC 3261 §18.2.1, RFC 3581 §4). */
  readonly stamped: string
}

/** A request that the grammar has accepted, with the fields that every layer asks for, read once. */
export interface IncomingRequest {
  readonly message: SipRequest
  /** Its Request-URI; undefined: it cannot be read, or was not: a phone needs none. */
  readonly uri?: Uri | undefined
  /** Where it came from. */
  readonly flow: Flow
  /** Where its responses go (RFC 3261 §18.2.2, RFC 3581). */
  readonly replyTo: Flow
  readonly via: TopVia
  /** From and To as they came. */
  readonly from: string
  readonly to: string
  readonly callId: string
  /** Empty when the remote speaks RFC 2543 and sends none. */
  readonly fromTag: string
  readonly toTag: string | undefined
  readonly cseq: number
  /** The whole field as it came. */
  readonly cseqText: string
}

export interface IncomingResponse {
  readonly message: SipResponse
  readonly flow: Flow
  readonly branch: string
  readonly to: string
  readonly callId: string
  readonly fromTag: string
  readonly toTag: string | undefined
  readonly cseq: number
  readonly cseqMethod: string
}
