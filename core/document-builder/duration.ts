/**
 * A length of time in a document: a number of seconds, or a number with its unit: `'20s'`, `'1500ms'`, `'2m'`, `'1h'`.
 * Documents themselves carry seconds.
 */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`

const secondsOf = { ms: 0.001, s: 1, m: 60, h: 3600 } as const

/** Seconds as a document writes them; a text that is no duration is returned as it is, for the document check to refuse. */
export function formatSeconds(duration: Duration | string): string {
  if (typeof duration === 'number') return String(duration)
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(duration)
  if (found === null) return duration
  const seconds = Number(found[1]) * secondsOf[found[2] as keyof typeof secondsOf]
  return String(Math.round(seconds * 1000) / 1000)
}

/** Milliseconds of a duration. Throws a `RangeError` for what is none. */
export function durationMs(duration: Duration): number {
  const ms = Math.round(1000 * Number(formatSeconds(duration)))
  if (ms >= 0) return ms
  throw new RangeError(`"${duration}" is no duration: write seconds (20) or a unit ('20s', '500ms', '2m', '1h')`)
}
