import type { OverloadControl } from '../../admission/overload-control.ts'
import type { Log } from '../../ports/log.ts'

const newsEveryMs = 60_000
const mostNamed = 3

interface NewsOptions {
  readonly admission: OverloadControl
  readonly invitesDropped: () => number
  readonly nameOf: (source: string) => string
  readonly log: Log
}

/** A line when calls begin to be refused, and one a minute while they are. */
export function refusalNews({ admission, invitesDropped, nameOf, log }: NewsOptions): (now: number) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  let reported = { admitted: 0, refused: 0, dropped: 0 }
  return now => {
    if (now - reportedAt < newsEveryMs) return
    const { admitted, refusedRate, refusedLate, refusedNoMedia } = admission.counters
    const total = { admitted, refused: refusedRate + refusedLate + refusedNoMedia, dropped: invitesDropped() }
    if (total.refused === reported.refused && total.dropped === reported.dropped) {
      reported = total
      return
    }
    const { pressure, of, measures } = admission.load
    const sources = admission.sources().slice(0, mostNamed)
    log.warn(
      {
        admitted: total.admitted - reported.admitted,
        refused: total.refused - reported.refused,
        dropped: total.dropped - reported.dropped,
        calls_per_second: admission.isLimiting ? Math.round(admission.rate) : 'unlimited',
        pressure: rounded(pressure),
        by: of,
        ...Object.fromEntries(Object.entries(measures).map(([name, value]) => [name, rounded(value)])),
        sources: sources.map(
          ({ source, offered, admitted: given }) =>
            `${nameOf(source)}: ${Math.round(given)} of ${Math.round(offered)} calls/s`,
        ),
      },
      'new calls are refused: the switch is loaded',
    )
    reported = total
    reportedAt = now
  }
}

const rounded = (value: number | boolean) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value)
