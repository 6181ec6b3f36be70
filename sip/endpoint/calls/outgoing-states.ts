/**
 * `abandoned`: to be ended, but no provisional has come, so the CANCEL waits (RFC 3261 §9.1). `cancelling`: the
 * CANCEL is out, the INVITE's final response is not in. `answered`: the session takes over. `given-up`: reported as over
 * since the remote kept silent; if it answers after all, it is cancelled or hung up.
 */
export type OutgoingState =
  | 'resolving'
  | 'calling'
  | 'abandoned'
  | 'proceeding'
  | 'cancelling'
  | 'answered'
  | 'given-up'
  | 'over'

export type OutgoingInput =
  /** An INVITE has gone out: the first, to the next address, or once more with what was asked for. */
  | 'invite'
  /** The caller's side ends the call. */
  | 'end'
  | '1xx'
  /** A 2xx of a fork that has not answered yet. */
  | '2xx'
  /** The timer of the state has expired. */
  | 'timeout'
  /** The attempt is over: refused, unreachable, or its session has ended. */
  | 'fail'

export type OutgoingAction =
  /** Start the timer for a remote that sends nothing. */
  | 'await-response'
  /** Start the timer for the final response after our CANCEL. */
  | 'await-final'
  | 'stop-timer'
  /** Report the provisional. */
  | 'progress'
  | 'cancel'
  /** The answer makes the call's session. */
  | 'answer'
  /** The same, and it is ended at once. */
  | 'answer-late'
  /** ACK and BYE: another fork has answered, or the call has been given up (RFC 3261 §13.2.2.4). */
  | 'hang-up-fork'
  | 'end-session'
  /** Report the end, and let go of everything. */
  | 'report-end'

type OutgoingCell = readonly [next: OutgoingState, ...actions: OutgoingAction[]]

/** A call that we dial. A missing cell means: absorb. */
export const outgoingTable: Readonly<Record<OutgoingState, Readonly<Partial<Record<OutgoingInput, OutgoingCell>>>>> = {
  resolving: {
    invite: ['calling', 'await-response'],
    end: ['over', 'report-end'],
    fail: ['over', 'report-end'],
  },
  calling: {
    invite: ['calling', 'await-response'],
    end: ['abandoned'],
    '1xx': ['proceeding', 'stop-timer', 'progress'],
    '2xx': ['answered', 'stop-timer', 'answer'],
    timeout: ['given-up', 'report-end'],
    fail: ['over', 'report-end'],
  },
  abandoned: {
    '1xx': ['cancelling', 'cancel', 'await-final'],
    '2xx': ['answered', 'stop-timer', 'answer-late'],
    timeout: ['given-up', 'report-end'],
    fail: ['over', 'report-end'],
  },
  proceeding: {
    invite: ['calling', 'await-response'],
    end: ['cancelling', 'cancel', 'await-final'],
    '1xx': ['proceeding', 'progress'],
    '2xx': ['answered', 'answer'],
    fail: ['over', 'report-end'],
  },
  cancelling: {
    '2xx': ['answered', 'stop-timer', 'answer-late'],
    timeout: ['over', 'report-end'],
    fail: ['over', 'report-end'],
  },
  answered: {
    end: ['answered', 'end-session'],
    '2xx': ['answered', 'hang-up-fork'],
    fail: ['over', 'report-end'],
  },
  'given-up': {
    '1xx': ['over', 'cancel'],
    '2xx': ['given-up', 'hang-up-fork'],
  },
  over: {
    '2xx': ['over', 'hang-up-fork'],
  },
}
