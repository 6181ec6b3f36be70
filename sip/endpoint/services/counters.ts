/** What an endpoint has seen and refused. Plain numbers that only grow. */
export interface Counters {
  received: number
  sent: number
  /** Bytes that are no message: from unknown sources, or not answerable. */
  malformed: number
  /** Requests of unknown sources that got no answer. */
  dropped: number
  challenged: number
  /** Requests without an answer, of sources that ask or are wrong too often. */
  throttled: number
  /** Challenges of a foreign address, another realm or a weaker algorithm that got no credentials of ours. */
  challengesRefused: number
  /** Softphones' REGISTER requests that were granted. */
  registered: number
  /** Refused because of a limit. */
  overloaded: number
  /** Messages that name a dialog or a transaction of ours and come from another sender. */
  foreign: number
  /** Responses and ACKs that belong to nothing. */
  stray: number
  /** Calls of customers to addresses that they may not name: a trunk's, our own, a private one. */
  refusedTargets: number
  /** Faults of ours: a message, a timer or a command was dropped for each. */
  faults: number
  callsOffered: number
  callsDialled: number
  callsEnded: number
}

export const newCounters = (): Counters => ({
  received: 0,
  sent: 0,
  malformed: 0,
  dropped: 0,
  challenged: 0,
  throttled: 0,
  challengesRefused: 0,
  registered: 0,
  overloaded: 0,
  foreign: 0,
  stray: 0,
  refusedTargets: 0,
  faults: 0,
  callsOffered: 0,
  callsDialled: 0,
  callsEnded: 0,
})
