// The basic format (20260701T083000Z) and the extended one. Groups: year, dash, month, day, hour, minute, second, fraction, Z, sign, hours, minutes.
const iso =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(?:([Zz])|([+\- ])(\d\d)(?::?(\d\d))?)?)?$/

/**
 * ISO-8601 as Unix milliseconds; undefined when it is none. Without a zone it is UTC. The `+` of an offset that was not
 * escaped reaches us as a space, and is taken for what it was.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = iso.exec(text.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = [1, 3, 4, 5, 6, 7].map(at => Number(match[at] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const milliseconds = Math.floor(Number(`0.${match[8] ?? 0}`) * 1000)
  const isEndOfDay = hour === 24 && minute + second + milliseconds === 0
  if ((hour > 23 && !isEndOfDay) || minute > 59 || second > 59) return undefined
  const time = new Date(0)
  time.setUTCFullYear(year, month - 1, day)
  // 31 February is no day.
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return undefined
  const offsetHours = Number(match[11] ?? 0)
  const offsetMinutes = Number(match[12] ?? 0)
  if (offsetHours > 23 || offsetMinutes > 59) return undefined
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000 * (match[10] === '-' ? -1 : 1)
  return time.setUTCHours(hour, minute, second, milliseconds) - offsetMs
}
