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

export interface SipRequest extends Common {
  readonly kind: 'request'
  readonly method: string
  /** The Request-URI as written. */
  readonly uri: string
}

export interface SipResponse extends Common {
  readonly kind: 'response'
  readonly status: number
  readonly reason: string
}

export type SipMessage = SipRequest | SipResponse
