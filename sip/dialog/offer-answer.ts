/** Whose offer is open. `initial`: no session yet. */
export type OfferState = 'initial' | 'local-offer' | 'remote-offer' | 'stable'

export type OfferInput = 'offer-sent' | 'offer-received' | 'answer-sent' | 'answer-received' | 'withdrawn'

/**
 * RFC 3264 §4 as a table: one offer at a time, each answered or withdrawn (refused, cancelled, timed out). A missing
 * cell is a message in the wrong state, and the answer to it stands in `refusalOfOffer`.
 */
export const offerAnswer: Readonly<Record<OfferState, Readonly<Partial<Record<OfferInput, OfferState>>>>> = {
  initial: { 'offer-sent': 'local-offer', 'offer-received': 'remote-offer' },
  'local-offer': { 'answer-received': 'stable', withdrawn: 'stable' },
  'remote-offer': { 'answer-sent': 'stable', withdrawn: 'stable' },
  stable: { 'offer-sent': 'local-offer', 'offer-received': 'remote-offer' },
}

/**
 * The status for an offer that comes in `state`, undefined = it may come. RFC 3261 §14.2, RFC 3311 §5.2: 491 while
 * ours is open, 500 with Retry-After while theirs is.
 */
export function refusalOfOffer(state: OfferState): 491 | 500 | undefined {
  switch (state) {
    case 'local-offer':
      return 491
    case 'remote-offer':
      return 500
    case 'initial':
    case 'stable':
      return undefined
  }
}
