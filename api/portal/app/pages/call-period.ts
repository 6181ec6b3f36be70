// Of which days a list of calls is, as its address says it: `when=week`, or `since=2026-11-01&until=2026-11-07`.

export const periods = ['day', 'today', 'yesterday', 'week', 'month', 'days'] as const
export type Period = (typeof periods)[number]

interface CallPeriod {
  readonly period: Period | undefined
  /** Chosen days, as a field of days has them; empty: open. */
  readonly since: string
  readonly until: string
  /** What the API is asked for. */
  readonly range: { readonly from_dt?: string; readonly to_dt?: string }
}

const hourMs = 3_600_000
const dayForm = /^\d{4}-\d\d-\d\d$/
const dayOf = (text: string | null): string =>
  text !== null && dayForm.test(text) && !Number.isNaN(Date.parse(text)) ? text : ''

const startOf = (now: Date, daysBefore: number): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore)
const lastMsBefore = (at: Date): string => new Date(at.getTime() - 1).toISOString()

/** Days are those of the browser's zone. A range stays the same all day, so that its list is not asked for again at each drawing. */
export function periodOf(query: URLSearchParams, now: Date): CallPeriod {
  // Of one day, as addresses had it before.
  const day = dayOf(query.get('day'))
  const since = dayOf(query.get('since')) || day
  const until = dayOf(query.get('until')) || day
  const asked = query.get('when')
  const period = since === '' && until === '' ? periods.find(each => each === asked) : 'days'
  return { period, since, until, range: rangeOf(period, since, until, now) }
}

function rangeOf(period: Period | undefined, since: string, until: string, now: Date): CallPeriod['range'] {
  switch (period) {
    // As home counts it: whole hours.
    case 'day':
      return { from_dt: new Date(Math.floor(now.getTime() / hourMs) * hourMs - 23 * hourMs).toISOString() }
    case 'today':
      return { from_dt: startOf(now, 0).toISOString() }
    case 'yesterday':
      return { from_dt: startOf(now, 1).toISOString(), to_dt: lastMsBefore(startOf(now, 0)) }
    case 'week':
      return { from_dt: startOf(now, 6).toISOString() }
    case 'month':
      return { from_dt: startOf(now, 29).toISOString() }
    case 'days':
      return {
        ...(since === '' ? {} : { from_dt: new Date(`${since}T00:00:00`).toISOString() }),
        ...(until === '' ? {} : { to_dt: new Date(`${until}T23:59:59.999`).toISOString() }),
      }
    default:
      return {}
  }
}
