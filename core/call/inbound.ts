import type { NumberOwner } from '../contract/exchange-event.ts'
import { type Hops, isSpent } from '../contract/hops.ts'
import type { InboundOffer } from '../contract/inbound-offer.ts'
import { callData } from '../events/call-data.ts'
import { BilledLeg } from '../leg/billed-leg.ts'
import { begunRow } from '../leg/call-row.ts'
import { Leg } from '../leg/leg.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Change } from '../ports/store.ts'
import { e164Candidates, presentedNumber } from '../routing/e164.ts'
import { refuseInbound, webhookUrl } from './admit.ts'
import type { Call } from './call.ts'

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
  const candidates = e164Candidates(offer.to)
  if (isSpent(offer.hops)) call.finish('END.0400')
  else if (candidates.length === 0) call.finish('END.0404')
  else {
    call.lookup({ kind: 'number-owner', candidates }, ({ owner }) => {
      if (owner === undefined) call.finish('END.0404')
      else admit(call, leg, owner, offer.hops)
    })
  }
}

function admit(call: Call, leg: Leg, owner: NumberOwner, hops: Hops): void {
  const { account, number } = owner
  const opening = {
    record: rowOf(call, leg, owner),
    account,
    ownNumber: number.number,
    payloadText: undefined,
    hops,
  }
  call.book.open(opening)
  const unbilled = new BilledLeg(call, leg, undefined, call.alarms)
  const refused = refuseInbound(owner) ?? takePlace(call, account)
  const begun: readonly Change[] = [
    { type: 'call.insert', call: call.record },
    { type: 'leg.insert', leg: leg.record() },
    call.event('CALL.0100', callData(call.record)),
  ]
  const refuse = (reason: NonNullable<typeof refused>) =>
    call.commit(begun, () => {
      call.opened()
      call.finish(reason)
    })
  if (refused !== undefined) {
    call.own(unbilled)
    refuse(refused)
    return
  }
  const rate = call.env.deck().find('inbound', number.number)
  const billed = new BilledLeg(call, leg, rate, call.alarms)
  call.own(billed)
  const ringing = call.book.advance('ring')
  call.commit([...begun, ...billed.holding(), ...ringing], result => {
    if (!result.ok) {
      // The unit is rolled back: no row, no ringing.
      call.own(unbilled)
      call.book.open(opening)
      if (!call.isOver) refuse('END.0402')
      return
    }
    call.opened()
    if (call.isOver) return
    leg.ring()
    call.startScript(webhookUrl('voice_inbound', account, number))
  })
}

/** A place of the account until the call ends: it is taken before its rows are on their way, so no two share one. */
function takePlace(call: Call, account: NumberOwner['account']): EndReason | undefined {
  const place = call.places.take(call.loads.inbound, account.uuid, account.maxInboundCalls)
  if (typeof place === 'string') return 'END.4429'
  call.watch(
    () => place.release(),
    () => {},
  )
  return undefined
}

const rowOf = ({ callId, sid }: Call, leg: Leg, { account, number }: NumberOwner): CallRecord =>
  begunRow(
    {
      uuid: callId,
      sid,
      accountUuid: account.uuid,
      direction: 'inbound',
      fromNumber: leg.number,
      toNumber: number.number,
      customPayload: null,
    },
    leg.startedUnix,
  )
