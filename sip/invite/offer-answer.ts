/** Side whose offer is open. `initial`: no session yet. */
export type OfferState = 'initial' | 'local-offer' | 'remote-offer' | 'stable'

export type OfferInput = 'offer-sent' | 'offer-received' | 'answer-sent' | 'answer-received' | 'withdrawn'

/**
 * RFC 3264 §4 as a table: one offer at a time, each answered or withdrawn (refused, cancelled, timed out). A missing
 * cell is a message in the wrong state, and the answer to it is decided by `refusalOfRequest`.
 */
export const offerAnswer: Readonly<Record<OfferState, Readonly<Partial<Record<OfferInput, OfferState>>>>> = {
  initial: { 'offer-sent': 'local-offer', 'offer-received': 'remote-offer' },
  'local-offer': { 'answer-received': 'stable', withdrawn: 'stable' },
  'remote-offer': { 'answer-sent': 'stable', withdrawn: 'stable' },
  stable: { 'offer-sent': 'local-offer', 'offer-received': 'remote-offer' },
}

/**
 * The request that is open in a dialog besides an offer. `early`: the INVITE that makes it. `ours`: our re-INVITE
 * without its final response. `theirs`: a re-INVITE, UPDATE or PRACK that we have not answered; a re-INVITE may ask
 * for our offer. `unacknowledged`: our 2xx to an INVITE.
 */
export type OpenRequest = 'none' | 'early' | 'ours' | 'theirs' | 'unacknowledged'

/** A request that brings an offer. `refresh`: an UPDATE without one. An INVITE without one asks for ours. */
export type OfferRequest = 'INVITE' | 'UPDATE' | 'PRACK' | 'refresh'

/**
 * The status for a request of the remote, undefined = accept it. RFC 3261 §14.2, RFC 3311 §5.2: 500 with Retry-After
 * while a request or an offer of the remote is open, 491 while one of ours is.
 */
export function refusalOfRequest(offer: OfferState, open: OpenRequest, request: OfferRequest): 491 | 500 | undefined {
  const isInvite = request === 'INVITE'
  if (open === 'theirs' || (isInvite && open === 'early')) return 500
  if (request === 'refresh') return undefined
  if (open === 'ours' || offer === 'local-offer' || (isInvite && open === 'unacknowledged')) return 491
  // RFC 3262 §5: a PRACK brings no first offer.
  return offer === 'remote-offer' || (offer === 'initial' && request === 'PRACK') ? 500 : undefined
}

/** We may send a re-INVITE: nothing is open in either direction (RFC 3261 §14.1). */
export const mayOffer = (offer: OfferState, open: OpenRequest): boolean => offer === 'stable' && open === 'none'
