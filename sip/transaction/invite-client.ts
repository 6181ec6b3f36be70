import type { Table } from './table.ts'

type InviteClientState = 'calling' | 'proceeding' | 'cancelling' | 'completed' | 'accepted' | 'terminated'

/**
 * RFC 3261 figure 5, with the Accepted state of RFC 6026 §7.2: it takes 2xx of every fork until Timer M. A proceeding
 * INVITE has no time limit; after its CANCEL it waits 64 × T1 for its final response (RFC 3261 §9.1).
 */
export const inviteClient = {
  name: 'invite-client',
  initial: 'calling',
  cells: {
    calling: {
      '1xx': ['proceeding', 'pass-up'],
      '2xx': ['accepted', 'pass-up'],
      '3xx-6xx': ['completed', 'ack', 'pass-up'],
      'timer-a': ['calling', 'retransmit'],
      'timer-b': ['terminated', 'report-timeout'],
      'transport-error': ['terminated', 'report-unreachable'],
    },
    proceeding: {
      '1xx': ['proceeding', 'pass-up'],
      '2xx': ['accepted', 'pass-up'],
      '3xx-6xx': ['completed', 'ack', 'pass-up'],
      'send-cancel': ['cancelling'],
    },
    cancelling: {
      '1xx': ['cancelling', 'pass-up'],
      '2xx': ['accepted', 'pass-up'],
      '3xx-6xx': ['completed', 'ack', 'pass-up'],
      'timer-b': ['terminated', 'report-timeout'],
    },
    completed: {
      '3xx-6xx': ['completed', 'ack'],
      'timer-d': ['terminated'],
      // The final response has been reported already; only our ACK is lost.
      'transport-error': ['terminated'],
    },
    accepted: {
      '2xx': ['accepted', 'pass-up'],
      'timer-m': ['terminated'],
    },
    terminated: {},
  },
  timers: {
    calling: { repeat: 'a', end: 'b' },
    cancelling: { end: 'b' },
    completed: { end: 'd' },
    accepted: { end: 'm' },
  },
} as const satisfies Table<InviteClientState>
