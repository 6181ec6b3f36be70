import type { EndReason } from './base/end-reason.ts'
import type { Call } from './call.ts'

/** Name → what its listeners get. */
export type PhoneEvents = {
  /** The switch knows us: calls can be placed, and come. After an interruption again. */
  registered: undefined
  /** Signed out, by us or because the token's time is over. */
  unregistered: EndReason
  /** The switch refused, or did not answer. Unless the refusal is final the phone tries again by itself. */
  registrationFailed: EndReason
  /** The WebSocket stands. */
  connected: undefined
  /** It is gone. With `willRetry` the phone connects again by itself, and live calls go on meanwhile. */
  disconnected: { readonly detail: string; readonly willRetry: boolean }
  /** An incoming call. */
  incoming: Call
  /** The token ends soon: get a new one and pass it to `authenticate`, which interrupts nothing. */
  tokenWillExpire: { readonly secondsLeft: number }
  /** Microphones or speakers were plugged in or out. */
  devicesChanged: undefined
}
