import type { SourceState } from '../contract/session-stats.ts'

/**
 * What the source of a packet is:
 * - `signalled`: the address and port that SDP names
 * - `current`: the learned source
 * - `previous`: where media came from before SDP named the present address, for a moment
 * - `continuation`: a known host that goes on with the SSRC and sequence numbers of a stream that has just stopped: a NAT
 *   has given it another port or address
 * - `better`: a known host, and closer to what signalling says than the learned source
 * - `same-host`: another port of the learned source's host
 * - `known`: the host in SDP, the host that SIP comes from, a host of its /24 where both are public, or one that the
 *   trunk's `media_hosts` names
 * - `unknown`: any other. No cell takes it: such a source is never learned
 */
export type SourceInput =
  | 'signalled'
  | 'current'
  | 'previous'
  | 'continuation'
  | 'better'
  | 'same-host'
  | 'known'
  | 'unknown'

/** `accept`: play it. `return`: play it, and send there again. `probe`: hold it while its source is a candidate. */
type SourceAction = 'accept' | 'return' | 'probe'

type Cell = readonly [next: SourceState, action: SourceAction]

/**
 * Symmetric RTP (RFC 4961) without RTP bleed. A missing cell refuses the packet and changes nothing. The state of a
 * `probe` cell is entered when the candidate has sent enough packets, not before.
 */
export const sourceTable: Readonly<Record<SourceState, Readonly<Partial<Record<SourceInput, Cell>>>>> = {
  closed: {},
  waiting: {
    signalled: ['confirmed', 'accept'],
    // What is on its way while a remote moves is played, but no longer learned: it would keep the new source out.
    previous: ['waiting', 'accept'],
    known: ['learned', 'probe'],
  },
  // Once packets have come from the signalled address, only the same stream is learned elsewhere: a new NAT binding.
  confirmed: {
    signalled: ['confirmed', 'accept'],
    continuation: ['learned', 'probe'],
  },
  learned: {
    signalled: ['confirmed', 'return'],
    current: ['learned', 'accept'],
    continuation: ['learned', 'probe'],
    better: ['learned', 'probe'],
  },
  // A phone that resumes a call may have lost its NAT binding, and begin another stream on a new one.
  resumed: {
    signalled: ['confirmed', 'return'],
    current: ['learned', 'accept'],
    continuation: ['learned', 'probe'],
    better: ['learned', 'probe'],
    'same-host': ['learned', 'probe'],
  },
}
