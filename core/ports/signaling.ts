import type { EndReason, LegCause } from '../model/end-reason.ts'
import type { AccountUuid, CallUuid, LegUuid, Sid, TrunkUuid } from '../model/ids.ts'
import type { PhoneBinding, PhoneCaller } from '../model/phone.ts'
import type { Trunk } from '../model/trunk.ts'
import type { SdpWarning } from './media.ts'

/** Where a dialled leg goes. Which trunk, and the number in its form (strip, prepend), routing has decided. */
export type LegTarget =
  | {
      readonly kind: 'trunk'
      readonly trunk: Trunk
      /** As the trunk gets it. */
      readonly number: string
      /** As the account dialled it, where that is another. */
      readonly dialled?: string
    }
  | {
      readonly kind: 'uri'
      readonly uri: string
      readonly username?: string
      readonly password?: string
      /** The account whose document names it: it leads to no trunk, not to this switch, and to no private network. */
      readonly account: AccountUuid
    }
  | { readonly kind: 'phone'; readonly binding: PhoneBinding }

/** What the domain asks of SIP. SDP is opaque here: media reads and writes it. A command never throws. */
export type SignalingCommand =
  /** 180 without a body. */
  | { readonly type: 'leg.ring'; readonly legId: LegUuid; readonly sid?: Sid | undefined }
  /** 183 with our answer: early media. */
  | { readonly type: 'leg.progress'; readonly legId: LegUuid; readonly sid?: Sid | undefined; readonly sdp: string }
  /** 200 with our answer; to an INVITE without an offer it is our offer, and the answer comes with `leg.confirmed`. */
  | { readonly type: 'leg.answer'; readonly legId: LegUuid; readonly sid?: Sid | undefined; readonly sdp: string }
  /** Opens a new dialog with its own Call-ID. `from` is the presented number or extension. */
  | {
      readonly type: 'leg.dial'
      readonly legId: LegUuid
      readonly callId: CallUuid
      /** Sent to softphones only. */
      readonly sid?: Sid | undefined
      readonly target: LegTarget
      readonly from: { readonly user: string; readonly displayName?: string }
      readonly sdp: string
      /** How often it may be passed on. Default 70. */
      readonly maxForwards?: number
    }
  /**
   * Ends a leg whatever its state: a final response, a CANCEL, or a BYE, with a Reason header from the table.
   * An answer that crosses the CANCEL is acknowledged and hung up. `leg.ended` follows once it is really over.
   */
  | {
      readonly type: 'leg.end'
      readonly legId: LegUuid
      readonly reason: EndReason
      /** For a softphone that is refused before it rang; one that rang has it already. */
      readonly sid?: Sid | undefined
      readonly retryAfterSeconds?: number
      /** The final response of a caller who was never answered. Default: what the table says of the reason. */
      readonly status?: number
      /** The Reason header says the same as the final response, and names no cause of Q.850. */
      readonly withoutQ850?: true
      /** Another of those who rang has answered: a phone shows no missed call. */
      readonly isAnsweredElsewhere?: boolean
      /** Why the offer of a caller that is refused cannot be taken. */
      readonly warning?: SdpWarning
    }
  /** Our answer to the re-INVITE or UPDATE of `leg.reoffered`. */
  | { readonly type: 'leg.reanswer'; readonly legId: LegUuid; readonly sdp: string }
  /** 488 to the re-INVITE: the session goes on as it was. */
  | { readonly type: 'leg.refuse-reoffer'; readonly legId: LegUuid; readonly warning?: SdpWarning }
  /** Asks whether the remote still has the dialog. `leg.ended` follows when it does not. */
  | { readonly type: 'leg.probe'; readonly legId: LegUuid }

/** The IP address that its SIP came from; missing: it did not come by SIP. Media may come from there, too. */
export type SourceAddress = string

export type SignalingEvent =
  /**
   * A trusted INVITE. 100 has gone out; nothing else has. `from` and `to` are the user parts as received.
   * `sdp` is missing when the offer is delayed.
   */
  | {
      readonly type: 'leg.offered'
      readonly legId: LegUuid
      readonly trunkId: TrunkUuid
      readonly endUser?: never
      readonly from: { readonly user: string; readonly displayName: string }
      readonly to: string
      readonly sdp?: string
      readonly source?: SourceAddress
      /** How often it may still be passed on; missing: it does not say. */
      readonly maxForwards?: number
    }
  /** The same from a softphone that has signed in: `from` is its extension, `to` may be a whole URI. */
  | {
      readonly type: 'leg.offered'
      readonly legId: LegUuid
      readonly endUser: PhoneCaller
      readonly trunkId?: never
      readonly from: { readonly user: string; readonly displayName: string }
      readonly to: string
      readonly sdp?: string
      readonly source?: SourceAddress
    }
  /** 180 or another provisional without a body, from the leg that we dial. */
  | { readonly type: 'leg.ringing'; readonly legId: LegUuid }
  /** A provisional with a body: the remote's answer, early. */
  | {
      readonly type: 'leg.early'
      readonly legId: LegUuid
      readonly sdp: string
      readonly ringing: boolean
      readonly source?: SourceAddress
    }
  /** 2xx from the leg that we dial; the ACK has gone out. Without `sdp` what was agreed before holds. */
  | {
      readonly type: 'leg.answered'
      readonly legId: LegUuid
      readonly sdp?: string
      readonly source?: SourceAddress
    }
  /** The caller's ACK for our 2xx; `sdp` is its answer when our 2xx carried the offer. */
  | { readonly type: 'leg.confirmed'; readonly legId: LegUuid; readonly sdp?: string }
  /** re-INVITE or UPDATE in the dialog: hold, codec or address change. Without `sdp` we are to make an offer. */
  | {
      readonly type: 'leg.reoffered'
      readonly legId: LegUuid
      readonly sdp?: string
      readonly source?: SourceAddress
    }
  /** The answer, in the ACK, to the offer we made to an empty re-INVITE. */
  | { readonly type: 'leg.reconfirmed'; readonly legId: LegUuid; readonly sdp?: string }
  /** A digit by SIP INFO. */
  | { readonly type: 'leg.digit'; readonly legId: LegUuid; readonly digit: string; readonly durationMs: number }
  /** The leg is over on both sides. Comes exactly once for every leg that was offered or dialled. */
  | { readonly type: 'leg.ended'; readonly legId: LegUuid; readonly cause: LegCause }

export interface Signaling {
  execute(command: SignalingCommand): void
}
