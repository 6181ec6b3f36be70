import { type DialCallStatus, type EndReason, endReasons } from '../model/end-reason.ts'

/** With several children all failing: busy over no-answer over failed (docs/verbs.md, "Dial"). */
const weight: Readonly<Record<DialCallStatus, number>> = { completed: 3, busy: 2, 'no-answer': 1, failed: 0 }

/** The DialCallStatus of one dialled leg. */
export const dialStatusOf = (answered: boolean, reason: EndReason): DialCallStatus => {
  if (answered) return 'completed'
  const { dial } = endReasons[reason]
  // The table's `completed` rows are for legs that were answered; one that never was has failed.
  return dial === 'completed' ? 'failed' : dial
}

interface Unanswered {
  readonly reason: EndReason
  readonly sid: string
}

/** The child whose status says most; of equal ones the first. Undefined when there is none. */
export function mostTelling<T extends Unanswered>(children: readonly T[]): T | undefined {
  let best: T | undefined
  for (const child of children) {
    if (best === undefined || weight[dialStatusOf(false, child.reason)] > weight[dialStatusOf(false, best.reason)]) {
      best = child
    }
  }
  return best
}
