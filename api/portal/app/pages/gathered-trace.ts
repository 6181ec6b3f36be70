import type { Trace, TraceEntry, TraceRtp } from './trace.ts'

/** Of one call the page keeps the beginning and what came last: a switch keeps up to some 60,000 entries of a call. */
const mostEntries = 20_000
const ofBeginning = 5000

/** Pages of a trace as one. */
export interface GatheredTrace extends Trace {
  /** Entries between the beginning and the rest that the page does not keep. */
  readonly leftOut: number
}

/** `before` and what came after it. Legs, cost and end are those of the newest page: each page has them whole. */
export function withPage(before: GatheredTrace | undefined, page: Trace): GatheredTrace {
  if (before === undefined) return bounded({ ...page, leftOut: 0 })
  // A live call of which nothing new came is shown as it stands.
  const isSame = page.last === before.last && page.has_more === before.has_more && page.is_over === before.is_over
  if (isSame && (page.end === null) === (before.end === null)) return before
  return bounded({
    ...page,
    entries: inTime([...before.entries, ...page.entries]),
    rtp: page.rtp.map(points => {
      const earlier = before.rtp.find(({ leg }) => leg === points.leg)
      return earlier === undefined ? points : joined(earlier, points)
    }),
    leftOut: before.leftOut,
  })
}

/** Pages follow each other by the order of recording: the media threads' entries are recorded some moments late. */
const inTime = (entries: TraceEntry[]): TraceEntry[] => entries.sort((one, other) => one.ms - other.ms)

/** Every list of it is a column with one value a point. */
const joined = (earlier: TraceRtp, later: TraceRtp): TraceRtp =>
  Object.fromEntries(
    Object.entries(later).map(([name, column]) => [
      name,
      Array.isArray(column) ? [...(earlier[name as keyof TraceRtp] as readonly unknown[]), ...column] : column,
    ]),
  ) as TraceRtp

function bounded(trace: GatheredTrace): GatheredTrace {
  const excess = trace.entries.length - mostEntries
  if (excess <= 0) return trace
  const entries = [...trace.entries.slice(0, ofBeginning), ...trace.entries.slice(ofBeginning + excess)]
  return { ...trace, entries, leftOut: trace.leftOut + excess }
}
