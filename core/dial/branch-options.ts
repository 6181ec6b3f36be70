import type { Hops } from '../contract/hops.ts'
import type { DialledLeg } from '../events/call-data.ts'
import type { Leg } from '../leg/leg.ts'
import type { Sid } from '../model/ids.ts'
import type { Rate } from '../model/rate.ts'
import type { CodecName, Trunk } from '../model/trunk.ts'
import type { SrtpWish } from '../ports/media.ts'
import type { LegTarget } from '../ports/signaling.ts'

export type Route =
  | { readonly kind: 'trunk'; readonly trunk: Trunk; readonly srtp: SrtpWish }
  | { readonly kind: 'on-net' }
  | {
      readonly kind: 'uri'
      readonly target: Extract<LegTarget, { kind: 'uri' }>
      /** The host that the URI names. */
      readonly host: string
    }
  /** `webrtc`, `srtp`: what media it is offered. */
  | {
      readonly kind: 'phone'
      readonly target: Extract<LegTarget, { kind: 'phone' }>
      readonly webrtc: boolean
      readonly srtp: SrtpWish
    }

export interface BranchOptions {
  readonly sid: Sid
  readonly kind: DialledLeg['kind']
  /** As dialled: E.164, or a URI. */
  readonly to: string
  readonly from: { readonly user: string; readonly displayName: string }
  /** In the order in which they are tried. */
  readonly routes: readonly Route[]
  readonly rate: Rate | undefined
  readonly hops: Hops
  /** What the caller's leg speaks: offered first where the trunk has no order of its own. */
  readonly prefer?: readonly CodecName[]
  /** Reports DIAL events; without it, the leg is the call itself. */
  readonly isDial: boolean
}

export interface BranchListener<Branch> {
  /** It rings, or a provisional says so. */
  ringing(branch: Branch): void
  /** The remote sends early media. */
  early(branch: Branch): void
  /** 2xx: talk runs, though media may not be ready yet. */
  answered(branch: Branch): void
  ready(branch: Branch): void
  /** This leg of it has failed, and another one is tried. */
  retrying(branch: Branch, failed: Leg): void
  /** Decided: it failed, ended, or was cancelled. */
  over(branch: Branch): void
  /** Over, and its last leg has really ended in signalling. */
  released(branch: Branch): void
}
