import type { Call } from '../api-types.ts'

// How a call went: what its badge, its list and the sentence on its page say alike.

/** Hung up by a party, by the API, or at the end of the document: nothing to look into. */
const asPlanned: ReadonlySet<string> = new Set(['END.0200', 'END.0201', 'END.0202'])

export type Outcome = 'good' | 'calm' | 'warn' | 'bad'

/** Media, a document or the switch itself failed: whether the call had been answered before does not make it better. */
const brokeDown = /^END\.[235]/

/** Many documents have verbs for a Dial without an answer (voicemail): that is no warning. A document that failed is one. */
export function outcomeOf(
  call: Pick<Call, 'status' | 'reason_code'>,
  problems: readonly { readonly code: string }[] = [],
): Outcome {
  if (call.status === 'failed' || brokeDown.test(call.reason_code)) return 'bad'
  if (!asPlanned.has(call.reason_code) || problems.some(({ code }) => code.startsWith('END.3'))) return 'warn'
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
export function markOf(
  call: Pick<Call, 'status' | 'reason_code'>,
  problems: readonly { readonly code: string }[] = [],
): Mark {
  if (isLive(call)) return { tone: 'live', reason: '' }
  if (call.status === 'failed') return { tone: 'bad', reason: '' }
  const outcome = outcomeOf(call, problems)
  if (outcome === 'good' || outcome === 'calm') return { tone: 'good', reason: '' }
  const wrong = asPlanned.has(call.reason_code)
    ? problems.find(({ code }) => code.startsWith('END.3'))?.code
    : call.reason_code
  return { tone: 'warn', reason: wrong ?? '' }
}
