/** `ending-on-ack`: ended as soon as our 2xx is acknowledged (RFC 3261 §15). `ending`: our BYE is out. */
export type SessionState = 'early' | 'open' | 'ending-on-ack' | 'ending' | 'over'

/**
 * `accept`: our 2xx goes out. `end-on-ack`: we end it while that 2xx waits for its ACK. `bye`: our BYE goes out.
 * `close`: the remote's BYE, the answer to ours, or a refusal of the INVITE.
 */
export type SessionInput = 'accept' | 'end-on-ack' | 'bye' | 'close'

/** A session from its first response to its end. A missing cell means: absorb. */
export const sessionTable: Readonly<Record<SessionState, Readonly<Partial<Record<SessionInput, SessionState>>>>> = {
  early: { accept: 'open', bye: 'ending', close: 'over' },
  open: { accept: 'open', 'end-on-ack': 'ending-on-ack', bye: 'ending', close: 'over' },
  'ending-on-ack': { bye: 'ending', close: 'over' },
  ending: { close: 'over' },
  over: {},
}

/** Our re-INVITE. `offering`: with an offer that somebody asked for. `waiting`: to be sent again after glare. */
export type OwnOfferState = 'none' | 'offering' | 'refreshing' | 'waiting'

/** `end`: its final response other than 491, its time-out, or the end of the session. `glare`: a 491. */
export type OwnOfferInput = 'offer' | 'refresh' | 'glare' | 'end'

/**
 * One re-INVITE of ours at a time (RFC 3261 §14.1). A missing cell means: an offer is refused with 491, a refresh is
 * tried later, anything else is absorbed.
 */
export const ownOfferTable: Readonly<Record<OwnOfferState, Readonly<Partial<Record<OwnOfferInput, OwnOfferState>>>>> = {
  none: { offer: 'offering', refresh: 'refreshing' },
  offering: { glare: 'waiting', end: 'none' },
  refreshing: { glare: 'none', end: 'none' },
  waiting: { offer: 'offering', end: 'none' },
}
