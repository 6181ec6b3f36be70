/** A header field as it stands in the message, unfolded (RFC 3261 §7.3.1): `name` as written, `value` trimmed. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

interface Common {
  /** In the order of the wire, unknown ones included. */
  readonly headers: readonly HeaderField[]
  readonly body: Uint8Array
}

/** A request (RFC 3261 §7.1). */
export interface SipRequest extends Common {
  readonly kind: 'request'
  readonly method: string
  /** The Request-URI as written. */
  readonly uri: string
}

/** A response (RFC 3261 §7.2): its status, 100 to 699, and its reason phrase. */
export interface SipResponse extends Common {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
}

/** A request or a response; `kind` says which. */
export type SipMessage = SipRequest | SipResponse
