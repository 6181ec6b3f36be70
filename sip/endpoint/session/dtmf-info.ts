/** A digit sent in an INFO. */
interface InfoDigit {
  readonly digit: string
  readonly durationMs: number
}

const defaultDurationMs = 160
const longestMs = 10_000

/**
 * `application/dtmf-relay` (Signal=, Duration=) and `application/dtmf` (the digit alone, though some senders write there
 * what belongs in the other); undefined for neither.
 */
export function parseInfoDigit(contentType: string, body: string): InfoDigit | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  if (type === 'application/dtmf' && !body.includes('=')) {
    const key = body.trim()
    // Keys come one at a time: 12 is no `A` here.
    return /^1[2-5]$/.test(key) ? undefined : digitOf(key, defaultDurationMs)
  }
  if (type !== 'application/dtmf' && type !== 'application/dtmf-relay') return undefined
  const signal = /^[ \t]*signal[ \t]*=[ \t]*("?)(\S{1,9}?)\1[ \t]*\r?$/im.exec(body)?.[2] ?? ''
  const duration = Number(/^[ \t]*duration[ \t]*=[ \t]*(\d{1,6})[ \t]*\r?$/im.exec(body)?.[1] ?? defaultDurationMs)
  return digitOf(signal, Math.min(duration, longestMs))
}

function digitOf(signal: string, durationMs: number): InfoDigit | undefined {
  // Some phones send the event number of RFC 4733 for the keys that are no digits.
  const digit = /^1[0-5]$/.test(signal) ? '*#ABCD'.charAt(Number(signal) - 10) : signal.toUpperCase()
  return /^[0-9*#A-D]$/.test(digit) ? { digit, durationMs } : undefined
}
