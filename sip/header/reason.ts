import type { Parsed } from '../base/parsed.ts'
import { formatParameters, type Parameter, parameterOf, parseParameters } from '../grammar/parameters.ts'
import { quote } from '../grammar/quoted-string.ts'
import { boundedNumber, skipBlanks, tokenEnd } from '../grammar/token.ts'

/** RFC 3326, one value: why a request is sent, as `Q.850;cause=16;text="Terminated"` or `SIP;cause=200`. */
export interface Reason {
  /** As written: compare without regard to case. */
  readonly protocol: string
  readonly cause: number | undefined
  readonly text: string | undefined
  readonly parameters: readonly Parameter[]
}

/** Reads one value of Reason; a cause beyond 999 is left out. */
export function parseReason(text: string): Parsed<Reason, 'bad-reason' | 'bad-parameter'> {
  const at = skipBlanks(text, 0)
  const end = tokenEnd(text, at)
  if (end === at) return { ok: false, reason: 'bad-reason', at }
  const parameters = parseParameters(text, end)
  if (!parameters.ok) return parameters
  const cause = boundedNumber(parameterOf(parameters.value, 'cause') ?? '', 999)
  const words = parameterOf(parameters.value, 'text')
  return { ok: true, value: { protocol: text.slice(at, end), cause, text: words, parameters: parameters.value } }
}

/** One value of Reason: `Q.850;cause=16;text="…"`. */
export const formatReason = (reason: Pick<Reason, 'protocol' | 'cause' | 'text'>): string =>
  reason.protocol +
  formatParameters([
    ...(reason.cause === undefined ? [] : [{ name: 'cause', value: String(reason.cause) }]),
    ...(reason.text === undefined ? [] : [{ name: 'text', value: quote(reason.text) }]),
  ])

/** The Q.850 cause among the values of Reason; undefined when none gives one. */
export function q850CauseOf(values: readonly string[]): number | undefined {
  for (const value of values) {
    const reason = parseReason(value)
    if (reason.ok && reason.value.protocol.toUpperCase() === 'Q.850' && reason.value.cause !== undefined) {
      return reason.value.cause
    }
  }
  return undefined
}
