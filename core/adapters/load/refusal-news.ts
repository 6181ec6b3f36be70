import type { Admission } from '../../admission/admission.ts'
import type { Log } from '../../ports/log.ts'

const newsEveryMs = 60_000
const mostNamed = 3

interface NewsOptions {
  readonly admission: Admission
  readonly invitesDropped: () => number
  readonly nameOf: (source: string) => string
  readonly log: Log
}

/** A line when calls begin to be refused, and one a minute while they are. */
export function refusalNews({ admission, invitesDropped, nameOf, log }: NewsOptions): (now: number) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  let told = { admitted: 0, refused: 0, dropped: 0 }
  return now => {
    if (now - toldAt < newsEveryMs) return
    const { admitted, refusedRate, refusedLate, refusedNoMedia } = admission.counters
    const sofar = { admitted, refused: refusedRate + refusedLate + refusedNoMedia, dropped: invitesDropped() }
    if (sofar.refused === told.refused && sofar.dropped === told.dropped) {
      told = sofar
      return
    }
    const { pressure, of, measures } = admission.load
    const sources = admission.sources().slice(0, mostNamed)
    log.warn(
      {
        admitted: sofar.admitted - told.admitted,
        refused: sofar.refused - told.refused,
        dropped: sofar.dropped - told.dropped,
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
    told = sofar
    toldAt = now
  }
}

const rounded = (value: number | boolean) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value)
