/**
 * - `beginning`: not yet known to the database
 * - `live`: its row is durable, people know its sid
 * - `withdrawn`: over before its row was durable, which it may still become
 * - `ending`: over; what is left are confirmations, the last row among them
 * - `closed`: the last row is durable; after a fault of ours, given up
 * - `void`: over, and there never was a row
 */
export type CallPhase = 'beginning' | 'live' | 'withdrawn' | 'ending' | 'closed' | 'void'

export type PhaseStep =
  /** The row is durable. */
  | 'opened'
  /** The end is decided. */
  | 'finished'
  /** All rows are written. */
  | 'closed'

/** A missing cell: the step changes nothing. A row can follow upon `void` when a call of ours was broken off. */
export const callPhaseTable: Readonly<Record<CallPhase, Partial<Record<PhaseStep, CallPhase>>>> = {
  beginning: { opened: 'live', finished: 'withdrawn' },
  live: { finished: 'ending' },
  withdrawn: { opened: 'ending', closed: 'void' },
  ending: { closed: 'closed' },
  closed: {},
  void: { opened: 'closed' },
}

interface PhaseFacts {
  /** Its row is durable: people know its sid. */
  readonly isKnown: boolean
  readonly isOver: boolean
  /** Its last row is durable, or it never had one. */
  readonly isClosed: boolean
}

export const phaseFacts: Readonly<Record<CallPhase, PhaseFacts>> = {
  beginning: { isKnown: false, isOver: false, isClosed: false },
  live: { isKnown: true, isOver: false, isClosed: false },
  withdrawn: { isKnown: false, isOver: true, isClosed: false },
  ending: { isKnown: true, isOver: true, isClosed: false },
  closed: { isKnown: true, isOver: true, isClosed: true },
  void: { isKnown: false, isOver: true, isClosed: true },
}
