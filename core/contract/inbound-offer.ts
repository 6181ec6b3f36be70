import type { LegUuid, TrunkUuid } from '../model/ids.ts'
import type { CodecName, Trunk } from '../model/trunk.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import type { LoopOffered } from './exchange-event.ts'
import { arrived, type Hops } from './hops.ts'

export interface InboundOffer {
  readonly legId: LegUuid
  readonly from: { readonly user: string; readonly displayName: string }
  readonly to: string
  readonly sdp: string | undefined
  readonly route: { readonly direction: 'inbound' | 'on-net'; readonly trunkName: string }
  readonly codecs: readonly CodecName[]
  readonly srtp: Trunk['srtp']
  /** The address that its SIP came from, and the trunk's `media_hosts`. */
  readonly source?: string
  readonly mediaHosts: readonly string[]
  readonly hops: Hops
}

/** A caller who came by a trunk, as that trunk is to be spoken with; undefined: the operator has just taken it out. */
export function offerByTrunk(
  { legId, from, to, sdp, source, maxForwards }: Extract<SignalingEvent, { readonly trunkId: TrunkUuid }>,
  trunk: Trunk | undefined,
): InboundOffer {
  const route = { direction: 'inbound', trunkName: trunk?.name ?? '' } as const
  const { codecs = [], srtp = 'off', mediaHosts = [] } = trunk ?? {}
  const by = source === undefined ? {} : { source }
  return { legId, from, to, sdp, route, codecs, srtp, mediaHosts, ...by, hops: arrived(maxForwards) }
}

/** A caller who is a leg of another call of this switch. */
export function offerOnNet({ legId, from, to, sdp, hops }: LoopOffered): InboundOffer {
  return {
    legId,
    from,
    to,
    sdp,
    route: { direction: 'on-net', trunkName: '' },
    codecs: [],
    srtp: 'off',
    mediaHosts: [],
    hops,
  }
}
