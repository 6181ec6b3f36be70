import { type Hops, isSpent } from '../contract/hops.ts'
import type { InboundOffer } from '../contract/inbound-offer.ts'
import { Leg } from '../leg/leg.ts'
import type { NumberOwner } from '../model/account.ts'
import { e164Of, presentedNumber } from '../routing/e164.ts'
import { refuseInbound, webhookUrl } from './admit.ts'
import type { Call } from './call.ts'
import type { CallOpening } from './call-book.ts'
import { CallerAdmission } from './caller-admission.ts'

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
    ...(offer.source === undefined ? {} : { source: offer.source }),
    ...(offer.sdp === undefined ? {} : { offer: offer.sdp }),
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
  }
}
