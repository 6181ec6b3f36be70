import type { VerbModule } from './verb.ts'

export interface Hangup {
  readonly reason: 'busy' | 'rejected' | 'none'
}

/** A reason means something only before the answer, where it refuses the call without charge. */
export const hangup: VerbModule<Hangup, never> = {
  name: 'Hangup',

  about: {
    summary: 'Ends the call. Before the answer the caller is refused, without charge. No verb after it runs.',
    attributes: { reason: 'Before the answer: 486 or 603; 603 without it.' },
    example: '<Hangup reason="busy"/>',
  },

  parse({ attributes }) {
    // White space at its ends is layout, as with every choice.
    const reason = attributes.text('reason', /^\s*(busy|rejected)\s*$/, 'busy or rejected')?.trim()
    return { reason: reason === 'busy' || reason === 'rejected' ? reason : 'none' }
  },

  isLast: () => true,

  start(verb, run) {
    if (run.answered) return { next: 'end', reason: 'END.0202' }
    switch (verb.reason) {
      case 'busy':
        return { next: 'end', reason: 'END.0486', rejectWith: 486 }
      case 'rejected':
        return { next: 'end', reason: 'END.0603', rejectWith: 603 }
      case 'none':
        return { next: 'end', reason: 'END.0202', rejectWith: 603 }
    }
  },

  on: () => undefined,
}
