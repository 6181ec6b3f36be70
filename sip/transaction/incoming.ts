import type { SipRequest, SipResponse } from '../message/message.ts'
import type { Flow } from './flow.ts'

/** The topmost Via: what matches a message to its transaction, and where a response goes. */
export interface TopVia {
  readonly branch: string | undefined
  readonly host: string
  readonly port: number | undefined
  /** The whole first value, for matching by RFC 2543's rules. */
  readonly text: string
}

/** A request that the grammar has accepted, with the fields that every layer asks for, read once. */
export interface IncomingRequest {
  readonly message: SipRequest
  readonly flow: Flow
  readonly via: TopVia
  readonly callId: string
  /** Empty when the peer is as old as RFC 2543 and sends none. */
  readonly fromTag: string
  readonly toTag: string | undefined
  readonly cseq: number
}

export interface IncomingResponse {
  readonly message: SipResponse
  readonly flow: Flow
  readonly branch: string
  readonly callId: string
  readonly fromTag: string
  readonly toTag: string | undefined
  readonly cseq: number
  readonly cseqMethod: string
}
