/**
 * A leg's media from its offer to its end.
 * - `opening`: its ports are being bound; what is ordered waits
 * - `offered`: open, and our offer has no answer yet
 * - `agreed`: open, offer and answer have met
 * - `closing`: the engine ends it, since that was ordered or it had a fault
 * - `failed`: there is no session, and `media.close` will be answered
 */
export type LegMediaState = 'opening' | 'offered' | 'agreed' | 'closing' | 'failed' | 'closed'

export type LegMediaInput =
  /** Any command but `media.open` and `media.close`. */
  | 'order'
  | 'close'
  /** The remote's first offer is no SDP: no ports were asked for. */
  | 'unreadable'
  /** The ports are bound, and our offer is made. */
  | 'offer'
  /** The ports are bound, and the remote's first offer has our answer. */
  | 'answer'
  /** The ports are bound, and the remote's first offer can have no answer. */
  | 'refuse'
  /** The remote's answer to our offer is taken. */
  | 'taken'
  /** A later offer of the remote has our answer. */
  | 'answer-again'
  /** The remote's answer cannot be used. */
  | 'unusable'
  /** There are no ports, or there is no thread. */
  | 'no-ports'
  /** The session had a fault, or its thread died: `ended` follows. */
  | 'fault'
  | 'ended'

export type LegMediaAction =
  /** The order waits until the leg is open. */
  | 'hold'
  | 'carry-out'
  /** Carry out what was held, in the order in which it came. */
  | 'carry-out-held'
  /** Hand what was held to the session that is to end, which reports the ends; offers and answers are dropped. */
  | 'abandon-held'
  /** The order comes too late: it has ended before it began. */
  | 'end-order'
  /** All that was ordered and has not ended does now. */
  | 'end-orders'
  /** To the engine: what offer and answer mean. */
  | 'agree'
  /** The same, and silence is sent from now on when there is nothing else. */
  | 'agree-and-talk'
  | 'close-session'
  | 'report-opened'
  | 'report-reopened'
  | 'report-ready'
  /** Counted as well. */
  | 'report-failed'
  /** For the log. */
  | 'report-ignored'
  | 'report-closed'
  /** There was no session: nothing was measured. */
  | 'report-closed-unopened'

type LegMediaCell = readonly [next: LegMediaState, ...actions: LegMediaAction[]]

/** A missing cell means: absorb. After a good answer a bad one changes nothing: the session goes on as it was. */
export const legMediaTable: Readonly<Record<LegMediaState, Readonly<Partial<Record<LegMediaInput, LegMediaCell>>>>> = {
  opening: {
    order: ['opening', 'hold'],
    close: ['closing', 'abandon-held', 'close-session'],
    // First why, then what has ended by it: a recording that was ordered with the answer must not look like its end.
    unreadable: ['failed', 'report-failed', 'end-orders'],
    'no-ports': ['failed', 'report-failed', 'end-orders'],
    refuse: ['failed', 'close-session', 'report-failed', 'end-orders'],
    offer: ['offered', 'report-opened', 'carry-out-held'],
    answer: ['agreed', 'agree', 'report-opened', 'report-ready', 'carry-out-held'],
    fault: ['closing', 'report-failed'],
    ended: ['closed', 'end-orders', 'report-closed'],
  },
  offered: {
    order: ['offered', 'carry-out'],
    close: ['closing', 'close-session'],
    taken: ['agreed', 'agree-and-talk', 'report-ready'],
    'answer-again': ['agreed', 'agree', 'report-reopened', 'report-ready'],
    unusable: ['offered', 'report-failed'],
    fault: ['closing', 'report-failed'],
    ended: ['closed', 'end-orders', 'report-closed'],
  },
  agreed: {
    order: ['agreed', 'carry-out'],
    close: ['closing', 'close-session'],
    taken: ['agreed', 'agree-and-talk', 'report-ready'],
    'answer-again': ['agreed', 'agree', 'report-reopened', 'report-ready'],
    unusable: ['agreed', 'report-ignored'],
    fault: ['closing', 'report-failed'],
    ended: ['closed', 'end-orders', 'report-closed'],
  },
  closing: {
    order: ['closing', 'end-order'],
    'no-ports': ['closed', 'end-orders', 'report-closed'],
    ended: ['closed', 'end-orders', 'report-closed'],
  },
  failed: {
    order: ['failed', 'end-order'],
    close: ['closed', 'report-closed-unopened'],
  },
  closed: {
    order: ['closed', 'end-order'],
  },
}
