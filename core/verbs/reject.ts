import type { VerbModule } from './verb.ts'

export interface Reject {
  readonly reason: 'rejected' | 'busy'
}

/** Refuses a caller that was not answered, without charge; an answered caller is hung up. */
export const reject: VerbModule<Reject, never> = {
  name: 'Reject',

  about: {
    summary: 'Refuses a call that was not answered, without charge; one that was is hung up. No verb after it runs.',
    attributes: { reason: 'What the caller receives: 603 Decline, or 486 Busy Here.' },
    example: '<Reject reason="busy"/>',
  },

  parse: ({ attributes }) => ({ reason: attributes.choice('reason', ['rejected', 'busy'], 'rejected') }),
  isLast: () => true,

  start(verb, run) {
    if (run.answered) return { next: 'end', reason: 'END.0202' }
    switch (verb.reason) {
      case 'rejected':
        return { next: 'end', reason: 'END.0603', rejectWith: 603 }
      case 'busy':
        return { next: 'end', reason: 'END.0486', rejectWith: 486 }
    }
  },

  on: () => undefined,
}
