import type { HopTransport } from '../../network/flow.ts'
import type { ReasonHeader, SdpWarning } from './reason-header.ts'

/** Where a dialled call goes: the Request-URI, and the next hop when that is not the URI's own host. */
export interface DialTarget {
  readonly uri: string
  readonly hop: HopName
  readonly username: string
  readonly password: string
  /** The peer; undefined: another server. */
  readonly peerId?: string | undefined
  /** Default: the Request-URI. */
  readonly to?: string
}

/** A softphone that has registered: its Contact, over its flow. */
export interface BindingTarget {
  readonly binding: string
}

/** A next hop by name or address; RFC 3263 finds the rest. */
export interface HopName {
  readonly host: string
  readonly port: number | undefined
  readonly transport: HopTransport | undefined
  /**
   * The customer whose document names it, or in whose call a remote does; undefined: the operator's own. What customers
   * name may not be every address: the owner of the transport says which.
   */
  readonly customer?: string
}

/** What may be asked of a call. `sid`: the call's name, which softphones get with each answer. `id` names the call; an id that is gone is ignored. */
export type CallCommand =
  | { readonly type: 'ring'; readonly id: string; readonly sid?: string | undefined }
  | { readonly type: 'progress'; readonly id: string; readonly sdp: string; readonly sid?: string | undefined }
  | { readonly type: 'answer'; readonly id: string; readonly sdp: string; readonly sid?: string | undefined }
  | {
      readonly type: 'dial'
      readonly id: string
      readonly target: DialTarget | BindingTarget
      readonly from: { readonly user: string; readonly displayName?: string }
      readonly sdp: string
      readonly sid?: string | undefined
      /** Default 70: a call that begins here. */
      readonly maxForwards?: number
    }
  | { readonly type: 'end'; readonly id: string; readonly reason: ReasonHeader; readonly sid?: string | undefined }
  /** Our offer in a dialog that stands: re-INVITE. `reoffer-answered` or `reoffer-refused` follows. */
  | { readonly type: 'reoffer'; readonly id: string; readonly sdp: string }
  | { readonly type: 'reanswer'; readonly id: string; readonly sdp: string }
  | { readonly type: 'refuse-reoffer'; readonly id: string; readonly warning?: SdpWarning | undefined }
  /** Asks whether the peer still has the dialog, by OPTIONS; `ended` follows when it does not. */
  | { readonly type: 'probe'; readonly id: string }
