import type { LoopOffered } from '../contract/exchange-event.ts'
import { arrived, type Hops, isSpent } from '../contract/hops.ts'
import { Leg } from '../leg/leg.ts'
import type { NumberOwner } from '../model/account.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { LegUuid, TrunkUuid } from '../model/ids.ts'
import type { CodecName, Trunk } from '../model/trunk.ts'
import type { SignalingEvent } from '../ports/signaling.ts'
import { e164Of, presentedNumber } from '../routing/e164.ts'
import type { Call } from './call.ts'
import type { CallOpening } from './call-book.ts'
import { CallerAdmission, webhookUrl } from './caller-admission.ts'

/** A caller for one of our numbers, by a trunk or from another call of this switch. */
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
  readonly mediaSource: Trunk['mediaSource']
  readonly hops: Hops
}

/** A caller who came by a trunk, as that trunk is to be spoken with; undefined: the operator has just taken it out. */
export function offerByTrunk(
  { legId, from, to, sdp, source, maxForwards }: Extract<SignalingEvent, { readonly trunkId: TrunkUuid }>,
  trunk: Trunk | undefined,
): InboundOffer {
  const route = { direction: 'inbound', trunkName: trunk?.name ?? '' } as const
  const { codecs = [], srtp = 'off', mediaHosts = [], mediaSource = 'learned' } = trunk ?? {}
  const by = source === undefined ? undefined : { source }
  const hops = arrived(maxForwards)
  return { legId, from, to, sdp, route, codecs, srtp, mediaHosts, mediaSource, ...by, hops }
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
    mediaSource: 'learned',
    hops,
  }
}

/**
 * A caller for one of our numbers. A number without an owner is refused without a row: there is no account to keep it.
 * A suspended account or an inactive number refuses with a row, so that its owner can see it.
 */
export function beginInbound(call: Call, offer: InboundOffer): void {
  const leg = new Leg(call, {
    uuid: offer.legId,
    role: 'caller',
    direction: offer.route.direction,
    trunkName: offer.route.trunkName,
    number: presentedNumber(offer.from.user),
    codecs: offer.codecs,
    srtp: offer.srtp,
    mediaHosts: offer.mediaHosts,
    mediaSource: offer.mediaSource,
    ...(offer.source === undefined ? undefined : { source: offer.source }),
    ...(offer.sdp === undefined ? undefined : { offer: offer.sdp }),
  })
  call.talk.meet(leg, false)
  const admission = new CallerAdmission(call, leg)
  const number = e164Of(offer.to)
  if (isSpent(offer.hops)) admission.unknown('END.0400')
  else if (number === undefined) admission.unknown('END.0404')
  else {
    const owner = call.env.knownOwner(number)
    if (owner !== undefined) admit(call, leg, admission, owner, offer.hops)
    else lookUpOwner(call, leg, admission, number, offer.hops)
  }
}

function lookUpOwner(call: Call, leg: Leg, admission: CallerAdmission, number: string, hops: Hops): void {
  call.lookup({ kind: 'number-owner', number }, ({ owner }) => {
    if (owner === undefined) admission.unknown('END.0404')
    else admit(call, leg, admission, owner, hops)
  })
}

function admit(call: Call, leg: Leg, admission: CallerAdmission, owner: NumberOwner, hops: Hops): void {
  const { account, number } = owner
  const opening: CallOpening = {
    direction: 'inbound',
    fromNumber: leg.number,
    toNumber: number.number,
    customPayload: null,
    startedUnix: leg.startedUnix,
    account,
    ownNumber: number.number,
    payloadText: undefined,
    hops,
  }
  const refused = refuseInbound(owner)
  if (refused !== undefined) {
    admission.refuse(opening, refused)
    return
  }
  // A place of the account until the call ends: it is taken before the rows are on their way, so no two share one.
  const place = call.places.take(call.loads.inbound, account.uuid, call.now(), account.maxInboundCalls)
  if (typeof place === 'string') admission.refuse(opening, 'END.4429')
  else {
    const rate = call.env.deck().find('inbound', number.number)
    const url = webhookUrl('voice_inbound', account, number)
    admission.admit(opening, { rate, url, release: () => place.release(call.now()) })
    const by = hops.path.at(-1)
    if (by !== undefined) call.emit({ type: 'caller.dialled', callId: call.callId, legId: leg.uuid, by })
  }
}

/** Why a call to an owned number is not taken; undefined: it is. */
function refuseInbound({ account, number }: NumberOwner): EndReason | undefined {
  if (account.status === 'suspended') return 'END.4403'
  if (!number.isActive) return 'END.0404'
  return undefined
}
