import { reasonOf } from '../leg/reason-of.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Echo } from './echo-signal.ts'
import type { TestCallFigures } from './test-call.ts'

/** The outcome of a test call, in words for people. */
export const testOutcomes = [
  ...['echo', 'no-echo', 'silent', 'busy', 'no-answer', 'refused', 'unreachable'],
  ...['no-media', 'hung-up', 'cancelled'],
] as const
type TestOutcome =
  | 'echo'
  | 'no-echo'
  | 'silent'
  | 'busy'
  | 'no-answer'
  | 'refused'
  | 'unreachable'
  | 'no-media'
  | 'hung-up'
  | 'cancelled'

export interface TestCallResult {
  readonly outcome: TestOutcome
  /** The number as it was dialled. */
  readonly dialled: string
  /** The INVITE's final response; undefined: there was none. */
  readonly sipStatus: number | undefined
  /** Why the call was not set up; undefined where it was. */
  readonly reason: EndReason | undefined
  readonly figures: TestCallFigures
  readonly echo: Echo | undefined
}

export function testResult(dialled: string, figures: TestCallFigures, echo: Echo | undefined): TestCallResult {
  const { cause, answeredMs } = figures
  const refusal = cause?.kind === 'response' ? cause.status : undefined
  const sipStatus = answeredMs === undefined ? refusal : 200
  const reason = answeredMs === undefined && cause !== undefined ? reasonOf(cause) : undefined
  return { outcome: outcomeOf(figures, reason, echo), dialled, sipStatus, reason, figures, echo }
}

function outcomeOf(figures: TestCallFigures, reason: EndReason | undefined, echo: Echo | undefined): TestOutcome {
  const { end, stats } = figures
  if (end === 'refused') {
    if (reason === 'END.0486') return 'busy'
    if (reason === 'END.1408') return 'unreachable'
    return reason === 'END.0480' || reason === 'END.0408' ? 'no-answer' : 'refused'
  }
  // Some echo services hang up when they have heard enough.
  if (end !== 'answered' && end !== 'hung-up') return end
  if (echo !== undefined) return 'echo'
  if (end === 'hung-up') return end
  return (stats?.packetsReceived ?? 0) === 0 ? 'silent' : 'no-echo'
}
