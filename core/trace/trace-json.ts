import type { Trace } from './trace.ts'

const timeOf = (unixMs: number): string => new Date(unixMs).toISOString()

/** A trace as the API sends it. */
export const traceJson = (trace: Trace) => ({
  uuid: trace.uuid,
  sid: trace.sid,
  direction: trace.direction,
  from_number: trace.fromNumber,
  to_number: trace.toNumber,
  is_over: trace.isOver,
  is_complete: trace.isComplete,
  legs: trace.legs,
  entries: trace.entries.map(({ seq, unixMs, ms, kind, leg, text, data }) => ({
    seq,
    at: timeOf(unixMs),
    ms,
    kind,
    leg,
    text,
    data,
  })),
  rtp: trace.rtp,
  charges: trace.charges,
  cost: trace.cost,
  end: trace.end,
  last: trace.last,
  has_more: trace.hasMore,
})
