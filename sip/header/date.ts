const pattern =
  /^(?:[A-Za-z]{3},\s*)?(\d{1,2})\s+([A-Za-z]{3})\s+(\d{4})\s+(\d{2}):(\d{2}):(\d{2})(?:\s+([A-Za-z]+|[+-]\d{4}))?$/
const months = 'janfebmaraprmayjunjulaugsepoctnovdec'

/**
 * Unix milliseconds. RFC 3261 §20.17 knows GMT only; another zone, or anything that is no date, is undefined and the
 * header is to be ignored: no call is lost over a clock (RFC 4475 §3.1.2.12).
 */
export function parseDate(text: string): number | undefined {
  const match = pattern.exec(text.trim())
  if (match === null) return undefined
  const [, day, name = '', year, hour, minute, second, zone = 'GMT'] = match
  const at = months.indexOf(name.toLowerCase())
  if (at === -1 || at % 3 !== 0 || !/^(?:GMT|UTC|[+-]0000)$/i.test(zone)) return undefined
  return Date.UTC(Number(year), at / 3, Number(day), Number(hour), Number(minute), Number(second))
}

/** From Unix milliseconds. */
export const formatDate = (unixMs: number): string => new Date(unixMs).toUTCString()
