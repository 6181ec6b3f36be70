import type { EndpointCallDump } from '../../../sip/index.ts'
import type { Call } from '../../call/call.ts'
import type { CallDump, LegDump } from '../../model/call-dump.ts'
import type { LegUuid } from '../../model/ids.ts'
import type { MediaLegDump } from '../media/index.ts'

/** A leg of a live call with its SIP and its media. */
export interface LiveLegDump extends LegDump {
  /** Undefined: another leg of this switch is at its other end, or its SIP is over. */
  readonly sip: EndpointCallDump | undefined
  readonly mediaLeg: MediaLegDump | undefined
}

/** All that is known of a live call at one moment, for support. */
export interface LiveCallDump extends Omit<CallDump, 'legs'> {
  readonly takenUnix: number
  readonly legs: readonly LiveLegDump[]
}

export interface DumpSources {
  sipOf(legId: LegUuid): EndpointCallDump | undefined
  mediaOf(legIds: readonly LegUuid[]): Promise<ReadonlyMap<LegUuid, MediaLegDump>>
}

/** The domain's and the signalling's halves are of this moment, media's half of when its thread answers. */
export async function dumpOfLive(
  call: Call,
  { sipOf, mediaOf }: DumpSources,
  now: number,
  takenUnix: number,
): Promise<LiveCallDump> {
  const own = call.dump(now)
  const sip = own.legs.map(({ leg }) => sipOf(leg.uuid))
  const media = await mediaOf(own.legs.map(({ leg }) => leg.uuid))
  return {
    takenUnix,
    call: own.call,
    phase: own.phase,
    waitsFor: own.waitsFor,
    document: own.document,
    dial: own.dial,
    holds: own.holds,
    deadlines: own.deadlines,
    legs: own.legs.map((leg, at) => ({
      leg: leg.leg,
      state: leg.state,
      media: leg.media,
      isAgreed: leg.isAgreed,
      isReady: leg.isReady,
      codec: leg.codec,
      room: leg.room,
      sip: sip[at],
      mediaLeg: media.get(leg.leg.uuid),
    })),
  }
}
