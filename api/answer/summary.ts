import { type AccountUuid, type CallSummary, formatMoney } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'
import { timeOf } from './render.ts'

const hourMs = 3_600_000
/** Beyond it a slice is a day. */
const longestByHour = 72

/** The slices of the last `hours`: of an hour each, or of a day. */
export function slicesOf(hours: number, unixMs: number) {
  const sliceMs = hours > longestByHour ? 24 * hourMs : hourMs
  return { fromUnix: Math.floor((unixMs - hours * hourMs) / sliceMs) * sliceMs + sliceMs, sliceMs }
}

/** Calls and failures of the last `hours`, as `CallSummary`. */
export async function summaryAnswer({ calls }: SwitchDoor, account: AccountUuid, hours: number) {
  const { fromUnix, sliceMs } = slicesOf(hours, Date.now())
  return renderSummary(await calls.summary?.(account, fromUnix, sliceMs), calls.liveOf(account), sliceMs)
}

export const renderSummary = (found: CallSummary | undefined, liveCalls: number, sliceMs: number) => ({
  live_calls: liveCalls,
  slice_seconds: sliceMs / 1000,
  slices: (found?.slices ?? []).map(({ atUnix, calls: began, failed, talkSeconds, cost }) => ({
    at: timeOf(atUnix),
    calls: began,
    failed,
    talk_seconds: talkSeconds,
    cost: formatMoney(cost),
  })),
  failures: (found?.reasons ?? []).map(({ reason, calls: ended }) => ({ reason_code: reason, calls: ended })),
})
