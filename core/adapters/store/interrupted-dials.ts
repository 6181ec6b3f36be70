import { secondsBetween } from '../../billing/charge.ts'
import { conferenceData, dialCodes, dialData } from '../../events/call-data.ts'
import type { EventCode } from '../../events/catalogue.ts'
import type { CallRecord, LegRecord } from '../../model/call-record.ts'
import type { EndReason } from '../../model/end-reason.ts'
import type { OpenDial } from '../../model/open-dial.ts'

interface DialEnd {
  readonly code: EventCode
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * The last event of a Dial that a crash has interrupted. `leg`: its row, as it is closed now; `isBetweenLegs`: that one had
 * failed before, and the next was not begun.
 */
export function endOfDial(
  call: CallRecord,
  dial: OpenDial,
  leg: LegRecord,
  { isBetweenLegs, reason }: { readonly isBetweenLegs: boolean; readonly reason: EndReason },
): DialEnd {
  if (dial.kind === 'conference') return endOfStay(call, dial, leg.endedUnix, reason)
  const { answeredUnix, endedUnix } = leg
  const wasAnswered = !isBetweenLegs && answeredUnix !== null && endedUnix !== null
  const status = wasAnswered ? 'completed' : 'failed'
  const data = dialData(call, {
    dialSid: dial.sid,
    kind: dial.kind,
    to: leg.number,
    from: dial.from,
    status,
    leg: isBetweenLegs ? undefined : leg,
    talkSeconds: wasAnswered ? secondsBetween(answeredUnix, endedUnix) : 0,
  })
  // A Dial between two legs has a reason too.
  return { code: dialCodes[status], data: { ...data, reason_code: reason } }
}

function endOfStay(
  call: CallRecord,
  { sid: dialSid, room: name, sinceUnix }: Extract<OpenDial, { kind: 'conference' }>,
  legEndedUnix: number | null,
  reason: EndReason,
): DialEnd {
  const status = sinceUnix === null ? 'failed' : 'completed'
  // The last beat may be from before it came in.
  const endedUnix = legEndedUnix === null ? null : Math.max(legEndedUnix, sinceUnix ?? 0)
  const talkSeconds = sinceUnix === null || endedUnix === null ? 0 : secondsBetween(sinceUnix, endedUnix)
  const data = conferenceData(call, { dialSid, name, status, reason, talkSeconds, sinceUnix, endedUnix })
  return { code: dialCodes[status], data }
}
