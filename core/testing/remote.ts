import { type Duration, durationMs } from '../document-builder/duration.ts'
import type { Peer } from './simulated-signaling.ts'

/** When a simulated remote rings, answers and hangs up. */
export interface RemoteTimes {
  /** From the INVITE to 180. Default 0.2 s. */
  readonly ringsAfter?: Duration
  /** From the INVITE to the answer; `never` rings until the call is given up. Default 3 s. */
  readonly answersAfter?: Duration | 'never'
  /** From the answer until it hangs up. Default: it stays until the other side hangs up. */
  readonly hangsUpAfter?: Duration
}

/** The final response of a remote that does not answer. */
export interface RemoteRefusal {
  /** SIP status, 400 to 699. */
  readonly status: number
  /** From the INVITE to the response. Default 1 s. */
  readonly after?: Duration
  /** From the INVITE to 180. Default: it does not ring. */
  readonly ringsAfter?: Duration
}

/**
 * How a number that is dialled behaves. `answer` = after 3 s, and stays; `busy` 486, `no-answer` rings for ever,
 * `declined` 603 while it rings, `unavailable` 480, `not-found` 404, `carrier-error` 500.
 */
export type RemoteBehaviour = keyof typeof named | RemoteTimes | RemoteRefusal

const named = {
  answer: {},
  busy: { status: 486 },
  'no-answer': { answersAfter: 'never' },
  declined: { status: 603, ringsAfter: '0.2s' },
  unavailable: { status: 480 },
  'not-found': { status: 404 },
  'carrier-error': { status: 500 },
} as const satisfies Record<string, RemoteTimes | RemoteRefusal>

/** The names of behaviours, for a command line. */
export const behaviourNames = Object.keys(named) as readonly (keyof typeof named)[]

const defaultRingMs = 200
const defaultAnswerMs = 3000
const defaultRefusalMs = 1000

const isRefusal = (meant: RemoteTimes | RemoteRefusal): meant is RemoteRefusal => 'status' in meant

/** The behaviour as simulated signalling takes it. */
export function peerOf(behaviour: RemoteBehaviour): Peer {
  const meant: RemoteTimes | RemoteRefusal = typeof behaviour === 'string' ? named[behaviour] : behaviour
  if (isRefusal(meant)) {
    const { status, after, ringsAfter } = meant
    return {
      ...(ringsAfter === undefined ? {} : { ringAfter: durationMs(ringsAfter) }),
      endAfter: after === undefined ? defaultRefusalMs : durationMs(after),
      cause: { kind: 'response', status },
    }
  }
  const { ringsAfter, answersAfter, hangsUpAfter } = meant
  const ringAfter = ringsAfter === undefined ? defaultRingMs : durationMs(ringsAfter)
  if (answersAfter === 'never') return { ringAfter }
  const answerAfter = answersAfter === undefined ? defaultAnswerMs : durationMs(answersAfter)
  return {
    ringAfter: Math.min(ringAfter, answerAfter),
    answerAfter,
    ...(hangsUpAfter === undefined ? {} : { byeAfter: durationMs(hangsUpAfter) }),
  }
}
