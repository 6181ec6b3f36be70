import { join } from 'node:path'
import { RecordingLinks } from '../tokens/recording-links.ts'
import { openSigningKeys } from '../tokens/signing-keys.ts'
import { StreamTokens } from '../tokens/stream-tokens.ts'
import { Accounts } from './accounts.ts'
import { Assets } from './assets.ts'
import { DestinationStore } from './destinations.ts'
import { HostedDocuments } from './documents.ts'
import type { Events } from './events.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import { ApiKeys } from './keys.ts'
import { Numbers } from './numbers.ts'
import { PhoneTokens } from './phone-tokens.ts'
import type { QuotaBook } from './quota-book.ts'
import { Rates } from './rates.ts'
import { Recordings } from './recordings.ts'
import type { Store } from './store.ts'
import { Trunks } from './trunks.ts'
import { EndUsers } from './users.ts'
import { WebhookSettingsStore } from './webhook-settings.ts'

/** Everything that is set up by people, as opposed to what calls write. */
export interface Repositories {
  readonly accounts: Accounts
  readonly assets: Assets
  readonly destinations: DestinationStore
  readonly documents: HostedDocuments
  /** The event log: what the stream is fed by. */
  readonly events: Events
  readonly idempotency: IdempotencyKeys
  readonly keys: ApiKeys
  readonly numbers: Numbers
  readonly phoneTokens: PhoneTokens
  readonly quotas: QuotaBook
  readonly rates: Rates
  readonly recordingLinks: RecordingLinks
  readonly recordings: Recordings
  readonly streamTokens: StreamTokens
  readonly trunks: Trunks
  readonly users: EndUsers
  readonly webhookSettings: WebhookSettingsStore
}

/**
 * One of each, over one store. `publicUrl` without a trailing slash; assets and recordings lie in the data folder, and so
 * does the key that tokens and links are signed with.
 */
export function openRepositories(
  store: Pick<Store, 'database' | 'ledger' | 'idempotency' | 'events' | 'quotas'>,
  publicUrl: string,
): Repositories {
  const { database, ledger, idempotency, events, quotas } = store
  const keys = new ApiKeys(database)
  const signingKey = openSigningKeys(database.folder)
  return {
    keys,
    accounts: new Accounts(database, ledger, keys, quotas),
    assets: new Assets(database, join(database.folder, 'assets'), quotas),
    destinations: new DestinationStore(database),
    documents: new HostedDocuments(database, publicUrl, quotas),
    events,
    idempotency,
    numbers: new Numbers(database, ledger),
    phoneTokens: new PhoneTokens(database, signingKey('phone-token'), quotas),
    quotas,
    rates: new Rates(database),
    recordingLinks: new RecordingLinks(signingKey('recording-link')),
    recordings: new Recordings(database, events, quotas, join(database.folder, 'recordings')),
    streamTokens: new StreamTokens(signingKey('stream-token')),
    trunks: new Trunks(database),
    users: new EndUsers(database, quotas),
    webhookSettings: new WebhookSettingsStore(database),
  }
}
