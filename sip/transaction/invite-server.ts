import type { Table } from './table.ts'

type InviteServerState = 'proceeding' | 'completed' | 'confirmed' | 'accepted' | 'terminated'

/**
 * RFC 3261 figure 7, with the Accepted state of RFC 6026 §7.1. The core repeats its 2xx by itself until the ACK
 * (RFC 3261 §13.3.1.4), through `send-2xx`. A transport error ends nothing here: the timers do (RFC 6026 §7.1).
 */
export const inviteServer = {
  name: 'invite-server',
  initial: 'proceeding',
  cells: {
    proceeding: {
      request: ['proceeding', 'resend'],
      'send-1xx': ['proceeding', 'send'],
      'send-2xx': ['accepted', 'send'],
      'send-3xx-6xx': ['completed', 'send'],
      'transport-error': ['proceeding', 'report-unreachable'],
    },
    completed: {
      request: ['completed', 'resend'],
      ack: ['confirmed'],
      'timer-g': ['completed', 'retransmit'],
      'timer-h': ['terminated', 'report-timeout'],
      'transport-error': ['completed', 'report-unreachable'],
    },
    confirmed: {
      'timer-i': ['terminated'],
    },
    accepted: {
      // The core's own repeats of the 2xx do for a repeated INVITE too (RFC 6026 §7.1).
      'send-2xx': ['accepted', 'send'],
      ack: ['accepted', 'pass-up'],
      'timer-l': ['terminated'],
      'transport-error': ['accepted', 'report-unreachable'],
    },
    terminated: {},
  },
  timers: {
    completed: { repeat: 'g', end: 'h' },
    confirmed: { end: 'i' },
    accepted: { end: 'l' },
  },
} as const satisfies Table<InviteServerState>
