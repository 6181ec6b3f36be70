import type { Deadlines } from '../leg/deadlines.ts'
import type { CallDump, HoldDump } from '../model/call-dump.ts'
import type { CallRecord } from '../model/call-record.ts'
import type { CallLegs } from './call-legs.ts'
import type { CallPhase } from './call-phase.ts'
import type { Conversation } from './conversation.ts'
import type { StoreRequests } from './store-requests.ts'

/** What is looked at of a call. */
interface DumpedCall {
  readonly record: CallRecord
  readonly phase: CallPhase
  readonly talk: Conversation
  readonly storeRequests: StoreRequests
  readonly legs: CallLegs
  readonly timers: Deadlines
  readonly holds: readonly HoldDump[]
}

export function dumpOf(call: DumpedCall, now: number): CallDump {
  return {
    call: call.record,
    phase: call.phase,
    waitsFor: waitsFor(call),
    document: call.talk.place(now),
    dial: call.talk.dial?.dump,
    holds: call.holds,
    deadlines: call.timers.entries
      .map(({ name, at }) => ({ name, dueInMs: Math.round(at - now) }))
      .sort((a, b) => a.dueInMs - b.dueInMs),
    legs: call.legs.all.map(leg => leg.dump),
  }
}

function waitsFor({ talk, storeRequests, legs, phase }: DumpedCall): readonly string[] {
  const count = (of: number, one: string, many: string) => (of === 0 ? [] : [of === 1 ? `1 ${one}` : `${of} ${many}`])
  return [
    ...count(storeRequests.pendingCommits, 'unit of work to be durable', 'units of work to be durable'),
    ...count(storeRequests.pendingLookups, 'answer of the database', 'answers of the database'),
    ...count(talk.pendingRequests, 'answer of the document server', 'answers of the document server'),
    ...(talk.player?.plays ?? []),
    ...count(talk.recordings, 'recording to end', 'recordings to end'),
    ...(talk.dial === undefined ? [] : ['the Dial to end']),
    ...(phase === 'ending' && !legs.areMeasured ? ['the last figures of its media'] : []),
  ]
}
