import type { AccountUuid } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'
import { renderAccount, renderCall, renderNumber, timeOf } from './render.ts'
import { renderSummary, slicesOf } from './summary.ts'

const recentCalls = 8

/** What the portal's home shows, as `AccountOverview`; undefined: there is no such account. */
export async function overviewAnswer({ repositories, calls }: SwitchDoor, uuid: AccountUuid) {
  const unixMs = Date.now()
  const slices = slicesOf(24, unixMs)
  const found = await repositories.overviews.of(uuid, { newestCalls: recentCalls, ...slices, unixMs })
  if (found === undefined) return undefined
  const { account, summary, newest, settings, numbers, givenUp, hasDocument, hasUser, hasRecording } = found
  const routed = numbers.map(number => renderNumber(number, settings.endpoints.voice_inbound))
  const unrouted = routed.filter(({ webhook_inbound: { source } }) => source === 'none')
  return {
    account: renderAccount(account),
    calls: renderSummary(summary, calls.liveOf(uuid), slices.sliceMs),
    recent_calls: newest.map(renderCall),
    wrong: {
      unrouted_numbers: unrouted.map(({ number }) => number),
      failed_callback: givenUp
        ? { url: String(givenUp.event.data.url), finished_at: timeOf(givenUp.event.createdUnix) }
        : null,
      has_no_funds: account.walletBalance + account.graceAmount + account.creditLimit <= 0,
      has_no_outbound_webhook: settings.endpoints.voice_outbound === '',
    },
    first_steps: {
      document: hasDocument,
      number: unrouted.length < routed.length,
      person: hasUser,
      call: newest.length > 0,
      recording: hasRecording,
    },
  }
}
