import type { EndReason } from './base/end-reason.ts'
import type { CallQuality } from './media/quality.ts'

/** Name → what its listeners get. Either `ended` or `failed` is a call's last event. */
export type CallEvents = {
  /** The remote rings. */
  ringing: undefined
  /** Answered: both can speak. */
  accepted: undefined
  /** Over, after it was answered or by our own will. */
  ended: EndReason
  /** It did not come about. */
  failed: EndReason
  hold: undefined
  unhold: undefined
  muted: undefined
  unmuted: undefined
  /** The audio is interrupted; it is being tried again. */
  reconnecting: undefined
  reconnected: undefined
  /** Every two seconds while the call lives. */
  quality: CallQuality
}
