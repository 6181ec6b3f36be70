import type { RepeatTimer, TimerName } from './timer-settings.ts'

/** What can happen to a transaction. `request` is its own request once more; `send-…` comes from above; `send-cancel`: the INVITE's CANCEL goes out. */
export type TransactionInput =
  | '1xx'
  | '2xx'
  | '3xx-6xx'
  | 'request'
  | 'ack'
  | 'send-1xx'
  | 'send-2xx'
  | 'send-3xx-6xx'
  | 'send-cancel'
  | `timer-${TimerName}`
  | 'transport-error'

export type TransactionAction =
  /** Hand the message to the transaction's owner. */
  | 'pass-up'
  /** Acknowledge a final response that is not 2xx (RFC 3261 §17.1.1.3). */
  | 'ack'
  /** Send the request or the last response again because a timer fired, and start that timer again, longer. */
  | 'retransmit'
  /** Send the response that came from above. */
  | 'send'
  /** Send the last response again because the request came again. */
  | 'resend'
  | 'report-timeout'
  | 'report-unreachable'

export type Cell<State extends string> = readonly [next: State, ...actions: TransactionAction[]]

/** `repeat` sends again and again, `end` leaves the state. */
export interface StateTimers {
  readonly repeat?: RepeatTimer
  readonly end: Exclude<TimerName, RepeatTimer>
}

/**
 * A transaction as data. A missing cell means: absorb and count. Entering a state starts the timers that it lists and
 * that do not run yet, and stops all others; so a timer that both states list runs on.
 */
export interface Table<State extends string = string> {
  readonly name: string
  readonly initial: State
  readonly cells: Readonly<Record<State, Readonly<Partial<Record<TransactionInput, Cell<State>>>>>>
  readonly timers: Readonly<Partial<Record<State, StateTimers>>>
}
