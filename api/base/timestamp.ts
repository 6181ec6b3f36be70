const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(?:([Zz])|([+\- ])(\d\d):?(\d\d))?)?$/

/**
 * ISO-8601 as Unix milliseconds; undefined when it is none. Without a zone it is UTC. The `+` of an offset that was not
 * escaped reaches us as a space, and is taken for what it was.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = iso.exec(text.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(at => Number(match[at] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const milliseconds = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000)
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  // 31 February is no day.
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined
  const offsetHours = Number(match[10] ?? 0)
  const offsetMinutes = Number(match[11] ?? 0)
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[9] === '-' ? -1 : 1)
  return time.setUTCHours(hour, minute, second, milliseconds) - offsetMs
}
