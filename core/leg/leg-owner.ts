import type { EndReason } from '../model/end-reason.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import type { Leg } from './leg.ts'

/** Acts on what a leg reports. The call has moved the leg's own state before that. */
export interface LegOwner {
  /** Media has our SDP. */
  opened(leg: Leg): void
  /** Offer and answer are complete. */
  ready(leg: Leg): void
  /** Media cannot go on with it. */
  failed(leg: Leg, reason: EndReason): void
  signalled(leg: Leg, event: OwnedSignal): void
}

export type OwnedSignal = Extract<
  SignalingEvent,
  { readonly type: 'leg.ringing' | 'leg.early' | 'leg.answered' | 'leg.confirmed' | 'leg.ended' }
>
