import { join } from 'node:path'
import { Accounts } from './accounts.ts'
import { Assets } from './assets.ts'
import { DestinationStore } from './destinations.ts'
import { HostedDocuments } from './documents.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import { ApiKeys } from './keys.ts'
import { Numbers } from './numbers.ts'
import { Rates } from './rates.ts'
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
  readonly idempotency: IdempotencyKeys
  readonly keys: ApiKeys
  readonly numbers: Numbers
  readonly rates: Rates
  readonly trunks: Trunks
  readonly users: EndUsers
  readonly webhookSettings: WebhookSettingsStore
}

/** One of each, over one store. `publicUrl` without a trailing slash; assets lie in `assets` of the data folder. */
export function openRepositories(
  store: Pick<Store, 'database' | 'ledger' | 'idempotency'>,
  publicUrl: string,
): Repositories {
  const { database, ledger, idempotency } = store
  const keys = new ApiKeys(database)
  return {
    keys,
    accounts: new Accounts(database, ledger, keys),
    assets: new Assets(database, join(database.folder, 'assets')),
    destinations: new DestinationStore(database),
    documents: new HostedDocuments(database, publicUrl),
    idempotency,
    numbers: new Numbers(database, ledger),
    rates: new Rates(database),
    trunks: new Trunks(database),
    users: new EndUsers(database),
    webhookSettings: new WebhookSettingsStore(database),
  }
}
