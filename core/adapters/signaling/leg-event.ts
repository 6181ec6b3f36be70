import type { CallEvent, PhoneOffer } from '../../../sip/index.ts'
import type { LegUuid, TrunkUuid } from '../../model/ids.ts'
import type { PhoneCaller } from '../../model/phone.ts'
import type { SignalingEvent } from '../../ports/signaling.ts'

/** What the token stands for that a softphone has signed in with. */
type PhoneLookUp = (phone: PhoneOffer) => PhoneCaller | undefined

/** The endpoint's event in the domain's words; undefined for what the domain never asked for. */
export function legEventOf(event: CallEvent, callerOf: PhoneLookUp): SignalingEvent | undefined {
  const legId = event.id as LegUuid
  switch (event.type) {
    case 'offered': {
      const { from, to, sdp, source } = event
      if (event.phone !== undefined) {
        const endUser = callerOf(event.phone)
        const offer = sdp === undefined ? {} : { sdp }
        return endUser && { type: 'leg.offered', legId, endUser, from, to, source, ...offer }
      }
      const trunkId = event.peerId as TrunkUuid
      const { maxForwards } = event
      return {
        type: 'leg.offered',
        legId,
        trunkId,
        from,
        to,
        source,
        ...(sdp === undefined ? undefined : { sdp }),
        ...(maxForwards === undefined ? undefined : { maxForwards }),
      }
    }
    case 'ringing':
      return { type: 'leg.ringing', legId }
    case 'early':
      return { type: 'leg.early', legId, sdp: event.sdp, ringing: event.ringing, source: event.source }
    case 'answered':
      return {
        type: 'leg.answered',
        legId,
        source: event.source,
        ...(event.sdp === undefined ? undefined : { sdp: event.sdp }),
      }
    case 'confirmed':
      return { type: 'leg.confirmed', legId, ...(event.sdp === undefined ? undefined : { sdp: event.sdp }) }
    case 'reoffered':
      return {
        type: 'leg.reoffered',
        legId,
        source: event.source,
        ...(event.sdp === undefined ? undefined : { sdp: event.sdp }),
      }
    case 'reconfirmed':
      return { type: 'leg.reconfirmed', legId, ...(event.sdp === undefined ? undefined : { sdp: event.sdp }) }
    case 'digit':
      return { type: 'leg.digit', legId, digit: event.digit, durationMs: event.durationMs }
    case 'ended':
      return { type: 'leg.ended', legId, cause: event.cause }
    case 'reoffer-answered':
    case 'reoffer-refused':
      return undefined
  }
}
