import type { Table } from './table.ts'

type NonInviteClientState = 'trying' | 'proceeding' | 'completed' | 'terminated'

/** RFC 3261 figure 6. */
export const nonInviteClient = {
  name: 'non-invite-client',
  initial: 'trying',
  cells: {
    trying: {
      '1xx': ['proceeding', 'pass-up'],
      '2xx': ['completed', 'pass-up'],
      '3xx-6xx': ['completed', 'pass-up'],
      'timer-e': ['trying', 'retransmit'],
      'timer-f': ['terminated', 'report-timeout'],
      'transport-error': ['terminated', 'report-unreachable'],
    },
    proceeding: {
      '1xx': ['proceeding', 'pass-up'],
      '2xx': ['completed', 'pass-up'],
      '3xx-6xx': ['completed', 'pass-up'],
      'timer-e': ['proceeding', 'retransmit'],
      'timer-f': ['terminated', 'report-timeout'],
      'transport-error': ['terminated', 'report-unreachable'],
    },
    completed: {
      'timer-k': ['terminated'],
    },
    terminated: {},
  },
  timers: {
    trying: { repeat: 'e', end: 'f' },
    proceeding: { repeat: 'e', end: 'f' },
    completed: { end: 'k' },
  },
} as const satisfies Table<NonInviteClientState>
