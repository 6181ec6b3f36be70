import type { CallSummary } from '../api-types.ts'
import type { Period } from './call-period.ts'

// Calls over time, as home shows them: `GET /calls/summary` leaves out slices in which no call began.

/** Hours that a person chooses among; beyond three days the API counts by the day. */
export const spans = ['24', '168', '720'] as const

/** The days of the list of calls that are those of a span. */
export const periodOfSpan = { '24': 'day', '168': 'week', '720': 'month' } as const satisfies Record<
  (typeof spans)[number],
  Period
>

interface Slice {
  readonly atMs: number
  readonly well: number
  readonly failed: number
}

/** All slices of the last `hours`, the newest last. */
export function slicesOf({ slice_seconds: seconds, slices }: CallSummary, hours: number, nowMs: number): Slice[] {
  const sliceMs = seconds * 1000
  const newest = Math.floor(nowMs / sliceMs) * sliceMs
  const count = Math.round((hours * 3600) / seconds)
  const found = new Map(slices.map(slice => [Date.parse(slice.at), slice]))
  return Array.from({ length: count }, (_, place) => {
    const atMs = newest - (count - 1 - place) * sliceMs
    const { calls = 0, failed = 0 } = found.get(atMs) ?? {}
    return { atMs, well: calls - failed, failed }
  })
}

interface Totals {
  readonly calls: number
  readonly failed: number
  /** Of 100 calls; undefined: there was none. */
  readonly answeredPercent: number | undefined
  /** Of the calls that were answered. */
  readonly averageTalk: number | undefined
  readonly cost: number
}

export function totalsOf({ slices }: CallSummary): Totals {
  const sum = (of: (slice: CallSummary['slices'][number]) => number) => slices.reduce((all, each) => all + of(each), 0)
  const [calls, failed] = [sum(slice => slice.calls), sum(slice => slice.failed)]
  const answered = calls - failed
  return {
    calls,
    failed,
    answeredPercent: calls === 0 ? undefined : Math.round((100 * answered) / calls),
    averageTalk: answered === 0 ? undefined : sum(slice => slice.talk_seconds) / answered,
    cost: sum(slice => Number(slice.cost)),
  }
}
