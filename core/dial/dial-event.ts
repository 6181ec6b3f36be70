import { type DialledLeg, dialCodes, dialData } from '../events/call-data.ts'
import type { CallHost } from '../leg/call-host.ts'
import type { Leg } from '../leg/leg.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Change } from '../ports/store.ts'
import type { BranchOptions } from './branch-options.ts'

/** What a dialled branch has come to. */
interface Ended {
  readonly reason: EndReason
  readonly talkSeconds: number
}

/** The change that reports a dialled branch. */
export const dialEvent = (
  host: CallHost,
  { sid, kind, to, from }: BranchOptions,
  status: DialledLeg['status'],
  leg: Leg | undefined,
  { reason, talkSeconds }: Ended,
): Change => {
  const isOver = status === 'completed' || status === 'failed'
  const data = dialData(host.record, {
    dialSid: sid,
    kind,
    to,
    from: from.user,
    status,
    leg,
    // A leg that was never placed has a reason too.
    reason: isOver ? reason : '',
    talkSeconds: isOver ? talkSeconds : 0,
  })
  return host.event(dialCodes[status], data)
}
