import type { WebhookSettings } from '../../model/account.ts'
import type { AccountRecord } from '../../model/account-record.ts'
import type { CallRecord } from '../../model/call-record.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { CallSummary } from '../../model/list.ts'
import type { NumberRecord } from '../../model/number-record.ts'
import type { Accounts } from './accounts.ts'
import type { Calls } from './calls.ts'
import type { HostedDocuments } from './documents.ts'
import type { Events, LoggedEvent } from './events.ts'
import type { Numbers } from './numbers.ts'
import type { Recordings } from './recordings.ts'
import type { EndUsers } from './users.ts'
import type { WebhookSettingsStore } from './webhook-settings.ts'

const dayMs = 24 * 3_600_000
const one = { limit: 1, offset: 0 } as const

interface AccountOverview {
  readonly account: AccountRecord
  readonly summary: CallSummary
  readonly newest: readonly CallRecord[]
  readonly settings: WebhookSettings
  readonly numbers: readonly NumberRecord[]
  /** The last status callback of the last day that was given up, and was not delivered after that. */
  readonly givenUp: LoggedEvent | undefined
  readonly hasDocument: boolean
  readonly hasUser: boolean
  readonly hasRecording: boolean
}

interface OverviewOrder {
  readonly newestCalls: number
  /** Of the summary. */
  readonly fromUnix: number
  readonly sliceMs: number
  readonly unixMs: number
}

interface OverviewParts {
  readonly accounts: Accounts
  readonly calls: Calls
  readonly documents: HostedDocuments
  readonly events: Events
  readonly numbers: Numbers
  readonly recordings: Recordings
  readonly users: EndUsers
  readonly webhookSettings: WebhookSettingsStore
}

/**
 * An account at a glance, read in one request to the thread of lists. As seven requests the parts would run one after the
 * other, each after its own wait for a thread that has a low priority and for the signalling thread.
 */
export class Overviews {
  readonly #parts: OverviewParts

  constructor(parts: OverviewParts) {
    this.#parts = parts
  }

  /** Undefined: there is no such account. */
  async of(
    uuid: AccountUuid,
    { newestCalls, fromUnix, sliceMs, unixMs }: OverviewOrder,
  ): Promise<AccountOverview | undefined> {
    const { accounts, calls, documents, events, numbers, recordings, users, webhookSettings } = this.#parts
    const account = await accounts.get(uuid)
    if (account === undefined) return undefined
    return {
      account,
      summary: await calls.summary(uuid, fromUnix, sliceMs),
      newest: await calls.newest(uuid, newestCalls),
      settings: await webhookSettings.get(uuid),
      numbers: await numbers.owned(uuid),
      givenUp: events.lastGivenUp(uuid, unixMs - dayMs),
      hasDocument: (await documents.list(uuid, one)).total > 0,
      hasUser: (await users.list(uuid)).length > 0,
      hasRecording: (await recordings.list(uuid, one, unixMs)).length > 0,
    }
  }
}
