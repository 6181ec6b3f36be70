import type { CallStatus } from '../model/call-record.ts'

export type StatusStep = 'ring' | 'answer' | 'end'

/** The statuses of a call (docs/api.md, "Statuses"). `completed` means that it was answered. A missing cell: the step changes nothing. */
export const callStatusTable: Readonly<Record<CallStatus, Partial<Record<StatusStep, CallStatus>>>> = {
  initiated: { ring: 'ringing', answer: 'answered', end: 'failed' },
  ringing: { answer: 'answered', end: 'failed' },
  answered: { end: 'completed' },
  completed: {},
  failed: {},
}
