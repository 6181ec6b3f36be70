/** Why a call is over, as the remote or the network caused it. */
export type CallCause =
  | { readonly kind: 'bye'; readonly q850?: number }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'response'; readonly status: number; readonly q850?: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable' }
  /** The target of a customer's call is an address that customers may not name. Nothing was sent. */
  | { readonly kind: 'refused-address' }
  | { readonly kind: 'auth-failed' }
  | { readonly kind: 'session-expired' }

/** The IP address that the message came from: a remote behind a NAT sends media from there, too. */
export type SourceAddress = string

/** The softphone that a call comes from; it has signed in. */
export interface PhoneOffer {
  readonly userId: string
  readonly tokenId: string
  /** As it stands in the message. */
  readonly customPayload?: string
}

/** Events of calls. `ended` comes exactly once for each that was offered or dialled, and is the last. */
export type CallEvent =
  | {
      readonly type: 'offered'
      readonly id: string
      /** The trusted peer that it comes from. */
      readonly peerId: string
      readonly phone?: never
      readonly from: { readonly user: string; readonly displayName: string }
      /** User part of the Request-URI, unescaped once. */
      readonly to: string
      readonly sdp?: string
      readonly source: SourceAddress
      /** Max-Forwards, where it has any. */
      readonly maxForwards?: number
    }
  | {
      readonly type: 'offered'
      readonly id: string
      readonly phone: PhoneOffer
      readonly peerId?: never
      /** The extension of the token that it signed in with; its From is not trusted. */
      readonly from: { readonly user: string; readonly displayName: string }
      /** User part of the Request-URI; the whole URI when it names another domain. */
      readonly to: string
      readonly sdp?: string
      readonly source: SourceAddress
    }
  | { readonly type: 'ringing'; readonly id: string }
  | {
      readonly type: 'early'
      readonly id: string
      readonly sdp: string
      readonly ringing: boolean
      readonly source: SourceAddress
    }
  /** Without `sdp` the earlier answer stays valid. */
  | { readonly type: 'answered'; readonly id: string; readonly sdp?: string; readonly source: SourceAddress }
  | { readonly type: 'confirmed'; readonly id: string; readonly sdp?: string }
  | { readonly type: 'reoffered'; readonly id: string; readonly sdp?: string; readonly source: SourceAddress }
  | { readonly type: 'reconfirmed'; readonly id: string; readonly sdp?: string }
  | { readonly type: 'reoffer-answered'; readonly id: string; readonly sdp: string }
  | { readonly type: 'reoffer-refused'; readonly id: string; readonly status: number }
  | { readonly type: 'digit'; readonly id: string; readonly digit: string; readonly durationMs: number }
  | { readonly type: 'ended'; readonly id: string; readonly cause: CallCause }
