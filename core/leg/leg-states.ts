/**
 * The signalling of one leg as the domain sees it, both roles. `idle` is a leg that we are about to dial, `offered` a
 * caller that waits. Our own steps are first in each row, then those of the remote.
 */
export type LegState = 'idle' | 'offered' | 'answering' | 'dialled' | 'up' | 'ending' | 'ended'

export type LegInput =
  | 'dial'
  | 'ring'
  | 'progress'
  | 'answer'
  | 'end'
  | 'leg.ringing'
  | 'leg.early'
  | 'leg.answered'
  | 'leg.confirmed'
  | 'leg.reoffered'
  | 'leg.reconfirmed'
  | 'leg.digit'
  | 'leg.ended'
  /** The signalling has not reported the end of the leg in time. */
  | 'lost'

/** A missing cell means: absorb. An answer that crosses our CANCEL arrives in `ending` and is absorbed there. */
export const legTable: Readonly<Record<LegState, Partial<Record<LegInput, LegState>>>> = {
  idle: { dial: 'dialled', end: 'ended' },
  offered: {
    ring: 'offered',
    progress: 'offered',
    answer: 'answering',
    end: 'ending',
    'leg.reoffered': 'offered',
    'leg.digit': 'offered',
    'leg.ended': 'ended',
  },
  answering: {
    end: 'ending',
    'leg.confirmed': 'up',
    'leg.reoffered': 'answering',
    'leg.digit': 'answering',
    'leg.ended': 'ended',
  },
  dialled: {
    end: 'ending',
    'leg.ringing': 'dialled',
    'leg.early': 'dialled',
    'leg.answered': 'up',
    'leg.reoffered': 'dialled',
    'leg.digit': 'dialled',
    'leg.ended': 'ended',
  },
  up: {
    end: 'ending',
    'leg.reoffered': 'up',
    'leg.reconfirmed': 'up',
    'leg.digit': 'up',
    'leg.ended': 'ended',
  },
  ending: { 'leg.ended': 'ended', lost: 'ended' },
  ended: {},
}

/** A leg's media session. `media.closed` follows every close. */
export type MediaState = 'none' | 'opening' | 'open' | 'closing' | 'closed'
