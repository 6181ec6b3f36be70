import type { SessionExpires } from '../header/session-expires.ts'

/** RFC 4028: the shortest interval that we agree to, in seconds (§4: at least 90). */
export const minSessionSeconds = 90

/** RFC 4028 §9, table 2: who refreshes when we answer. A remote without the extension leaves it to us. */
export function agreeAsUas(asked: SessionExpires, peerSupports: boolean): SessionExpires {
  const refresher = peerSupports ? (asked.refresher ?? 'uac') : 'uas'
  return { seconds: Math.max(asked.seconds, minSessionSeconds), refresher }
}

/** RFC 4028 §10: the refresher acts at half time; the other hangs up 32 s, or a third, before the end. */
export function sessionDelayMs(interval: SessionExpires, weRefresh: boolean): number {
  const seconds = weRefresh ? interval.seconds / 2 : interval.seconds - Math.min(32, interval.seconds / 3)
  return Math.round(seconds * 1000)
}
