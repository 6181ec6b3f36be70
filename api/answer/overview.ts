import type { AccountUuid } from '../../core/index.ts'
import type { SwitchDoor } from '../base/door.ts'
import { renderAccount, renderCall, renderNumber, timeOf } from './render.ts'
import { summaryAnswer } from './summary.ts'

const recentCalls = 8
const dayMs = 24 * 3_600_000
const one = { limit: 1, offset: 0 } as const

/** What the portal's home shows, as `AccountOverview`; undefined: there is no such account. */
export async function overviewAnswer(door: SwitchDoor, uuid: AccountUuid) {
  const { accounts, documents, events, numbers, recordings, users, webhookSettings } = door.repositories
  const unixMs = Date.now()
  const [account, calls, recent, settings, owned, hosted, people, kept, [givenUp]] = await Promise.all([
    accounts.get(uuid),
    summaryAnswer(door, uuid, 24),
    door.calls.list(uuid, { limit: recentCalls, offset: 0 }),
    webhookSettings.get(uuid),
    numbers.owned(uuid),
    documents.list(uuid, one),
    users.list(uuid),
    recordings.list(uuid, one, unixMs),
    events.list(uuid, { code: 'WH.0400', limit: 1 }),
  ])
  if (account === undefined) return undefined
  const routed = owned.map(number => renderNumber(number, settings.endpoints.voice_inbound))
  const unrouted = routed.filter(({ webhook_inbound: { source } }) => source === 'none')
  const isRecent = givenUp !== undefined && unixMs - givenUp.event.createdUnix < dayMs
  return {
    account: renderAccount(account),
    calls,
    recent_calls: recent.calls.map(renderCall),
    wrong: {
      unrouted_numbers: unrouted.map(({ number }) => number),
      failed_callback: isRecent
        ? { url: String(givenUp.event.data.url), finished_at: timeOf(givenUp.event.createdUnix) }
        : null,
      has_no_outbound_webhook: settings.endpoints.voice_outbound === '',
    },
    first_steps: {
      document: hosted.total > 0,
      number: unrouted.length < routed.length,
      person: people.length > 0,
      call: recent.total > 0,
      recording: kept.length > 0,
    },
  }
}
