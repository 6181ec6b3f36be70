/**
 * A caller from the INVITE to the first ring.
 * - `looking-up`: whose number, or whose phone it is
 * - `storing`: its rows are on their way to the database, with what is held for it; a hosted document begins meanwhile
 * - `storing-refusal`: the rows of a call that is refused are, so that its owner can see it
 * - `withdrawn`: over while its rows were on their way: they may still become durable
 */
export type CallerState = 'looking-up' | 'storing' | 'storing-refusal' | 'admitted' | 'withdrawn' | 'over'

export type CallerInput =
  /** There is no account to keep a row of it. */
  | 'unknown'
  /** By a rule: it is kept with its reason. */
  | 'refuse'
  | 'admit'
  | 'stored'
  /** The ledger has refused what was to be held: the unit is rolled back, and nothing was written. */
  | 'cannot-pay'
  /** The call has ended: the caller hung up, the database failed, or the switch is draining. */
  | 'ended'

export type CallerAction =
  /** The rows of the call and of its leg. */
  | 'store'
  /** The same, with what is held for it, and as ringing. */
  | 'store-ringing'
  /** The leg costs nothing, and the row is as it was at first. */
  | 'drop-hold'
  /** The call has a row. */
  | 'open'
  | 'ring'
  /** Where no request has to leave for it, and as far as it can be taken back: nothing of it leaves the switch. */
  | 'try-document'
  | 'drop-document'
  /** Starts it, or confirms the one that was tried. */
  | 'start-document'
  | 'finish'

type CallerCell = readonly [next: CallerState, ...actions: CallerAction[]]

/** A missing cell means: absorb. */
export const callerTable: Readonly<Record<CallerState, Readonly<Partial<Record<CallerInput, CallerCell>>>>> = {
  'looking-up': {
    unknown: ['over', 'finish'],
    refuse: ['storing-refusal', 'store'],
    admit: ['storing', 'store-ringing', 'try-document'],
    ended: ['over'],
  },
  storing: {
    stored: ['admitted', 'open', 'ring', 'start-document'],
    'cannot-pay': ['storing-refusal', 'drop-document', 'drop-hold', 'store'],
    ended: ['withdrawn'],
  },
  'storing-refusal': {
    stored: ['over', 'open', 'finish'],
    'cannot-pay': ['over', 'finish'],
    ended: ['withdrawn'],
  },
  admitted: { ended: ['over'] },
  withdrawn: { stored: ['over', 'open'], 'cannot-pay': ['over'] },
  over: {},
}
