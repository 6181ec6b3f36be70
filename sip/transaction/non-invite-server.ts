import type { Table } from './table.ts'

type NonInviteServerState = 'trying' | 'proceeding' | 'completed' | 'terminated'

/** RFC 3261 figure 8. */
export const nonInviteServer = {
  name: 'non-invite-server',
  initial: 'trying',
  cells: {
    trying: {
      'send-1xx': ['proceeding', 'send'],
      'send-2xx': ['completed', 'send'],
      'send-3xx-6xx': ['completed', 'send'],
    },
    proceeding: {
      request: ['proceeding', 'resend'],
      'send-1xx': ['proceeding', 'send'],
      'send-2xx': ['completed', 'send'],
      'send-3xx-6xx': ['completed', 'send'],
      'transport-error': ['proceeding', 'report-unreachable'],
    },
    completed: {
      request: ['completed', 'resend'],
      'timer-j': ['terminated'],
      'transport-error': ['completed', 'report-unreachable'],
    },
    terminated: {},
  },
  timers: {
    completed: { end: 'j' },
  },
} as const satisfies Table<NonInviteServerState>
