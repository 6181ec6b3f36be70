import type { Call } from '../api-types.ts'

// How a call went: what its badge, its list and the sentence on its page say alike.

/** Hung up by a party, by the API, or at the end of the document: nothing to look into. */
const asPlanned: ReadonlySet<string> = new Set(['END.0200', 'END.0201', 'END.0202'])

export type Outcome = 'good' | 'calm' | 'warn' | 'bad'

/** Media, a document or the switch itself failed: whether the call had been answered before does not make it better. */
const brokeDown = /^END\.[235]/

/** A document that failed, audio that was not played, a recording that was not made. */
const notDone = /^(?:END\.3|PLAY|SAY|REC)/

type Ended = Pick<Call, 'status' | 'reason_code' | 'problem_code'>

const ofRow = ({ problem_code: code }: Ended) => (code === '' ? [] : [{ code }])

/** What the flight recorder says of the end; where it says nothing, the call's row knows the first problem. */
export interface Told {
  /** Empty: nothing is wrong. */
  readonly advice?: string
  readonly problems?: readonly { readonly code: string }[]
}

/** Many documents have verbs for a Dial without an answer (voicemail): that is no warning. What was not done is one. */
export function outcomeOf(call: Ended, { advice = '', problems = ofRow(call) }: Told = {}): Outcome {
  if (call.status === 'failed' || brokeDown.test(call.reason_code)) return 'bad'
  if (!asPlanned.has(call.reason_code) || advice !== '' || problems.some(({ code }) => notDone.test(code)))
    return 'warn'
  return problems.length > 0 ? 'calm' : 'good'
}

export const isLive = ({ status }: Pick<Call, 'status'>): boolean => status !== 'completed' && status !== 'failed'

interface Mark {
  readonly tone: 'good' | 'warn' | 'bad' | 'live'
  /** The reason that stands beside a state which does not say it; empty: the state says all. */
  readonly reason: string
}

/**
 * The badge of a call. "Completed" means that it was answered: it is green only where nothing went wrong after that, else
 * the reason stands beside it.
 */
export function markOf(call: Ended, told: Told = {}): Mark {
  if (isLive(call)) return { tone: 'live', reason: '' }
  if (call.status === 'failed') return { tone: 'bad', reason: '' }
  const outcome = outcomeOf(call, told)
  if (outcome === 'good' || outcome === 'calm') return { tone: 'good', reason: '' }
  const wrong = asPlanned.has(call.reason_code)
    ? (told.problems ?? ofRow(call)).find(({ code }) => notDone.test(code))?.code
    : call.reason_code
  return { tone: 'warn', reason: wrong ?? '' }
}
