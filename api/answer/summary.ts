import { type AccountUuid, formatMoney } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'
import { timeOf } from './render.ts'

const hourMs = 3_600_000
/** Beyond it a slice is a day. */
const longestByHour = 72

/** Calls and failures of the last `hours`, as `CallSummary`. */
export async function summaryAnswer({ calls }: SwitchDoor, account: AccountUuid, hours: number) {
  const sliceMs = hours > longestByHour ? 24 * hourMs : hourMs
  const fromUnix = Math.floor((Date.now() - hours * hourMs) / sliceMs) * sliceMs + sliceMs
  const found = await calls.summary?.(account, fromUnix, sliceMs)
  return {
    live_calls: calls.liveOf(account),
    slice_seconds: sliceMs / 1000,
    slices: (found?.slices ?? []).map(({ atUnix, calls: began, failed, talkSeconds, cost }) => ({
      at: timeOf(atUnix),
      calls: began,
      failed,
      talk_seconds: talkSeconds,
      cost: formatMoney(cost),
    })),
    failures: (found?.reasons ?? []).map(({ reason, calls: ended }) => ({ reason_code: reason, calls: ended })),
  }
}
