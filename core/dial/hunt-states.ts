/**
 * - `seeking`: children ring, or are looked up, and none has answered
 * - `cancelling`: all who ring are cancelled, one after the other: the party receives none of them meanwhile
 * - `confirming`: of a sequential Dial the next child waits for the cancelled one to end
 * - `won`: one has answered
 * - `over`: reported
 */
export type HuntState = 'seeking' | 'cancelling' | 'confirming' | 'won' | 'over'

export type HuntInput =
  | 'answered'
  /** No child has answered in time. */
  | 'ring-timeout'
  /** All who rang are cancelled. */
  | 'cancelled'
  /** None is left that may answer, but the cancelled one has not ended. */
  | 'wait'
  /** The next child's turn. */
  | 'next'
  | 'end'

/** A missing cell means: absorb. An answer that is absorbed came after another one, and its leg is ended. */
export const huntTable: Readonly<Record<HuntState, Readonly<Partial<Record<HuntInput, HuntState>>>>> = {
  seeking: { answered: 'won', 'ring-timeout': 'cancelling', wait: 'confirming', next: 'seeking', end: 'over' },
  cancelling: { cancelled: 'seeking', end: 'over' },
  confirming: { next: 'seeking', end: 'over' },
  won: { end: 'over' },
  over: {},
}
