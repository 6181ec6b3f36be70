import { openSigningKeys } from '../tokens/signing-keys.ts'
import { Accounts } from './accounts.ts'
import { AssetRows } from './asset-rows.ts'
import { Books } from './books.ts'
import { DestinationStore } from './destinations.ts'
import { HostedDocuments } from './documents.ts'
import { ApiKeys } from './keys.ts'
import { LostUnits } from './lost-units.ts'
import { Numbers } from './numbers.ts'
import { OperatorChanges } from './operator-changes.ts'
import { Overviews } from './overviews.ts'
import { PhoneTokens } from './phone-tokens.ts'
import { PortalSessions } from './portal-sessions.ts'
import { Rates } from './rates.ts'
import { Recordings, recordingsFolder } from './recordings.ts'
import type { StoreParts } from './served.ts'
import type { Store } from './store.ts'
import { Trunks } from './trunks.ts'
import { EndUsers } from './users.ts'
import { WebhookSettingsStore } from './webhook-settings.ts'

export type StoreBase = Pick<
  Store,
  'database' | 'callbackEnds' | 'calls' | 'ledger' | 'idempotency' | 'events' | 'quotas'
>

/** What people set up, over the database of `store`. `publicUrl` without a trailing slash. */
export function setupParts(store: StoreBase, publicUrl: string) {
  const { database, calls, ledger, idempotency, events, quotas } = store
  const keys = new ApiKeys(database)
  const phoneTokens = new PhoneTokens(database, openSigningKeys(database.folder)('phone-token'), quotas)
  const accounts = new Accounts(database, ledger, keys, quotas)
  const documents = new HostedDocuments(database, publicUrl, quotas)
  const numbers = new Numbers(database, ledger, idempotency)
  const recordings = new Recordings(database, events, quotas, recordingsFolder(database.folder))
  const users = new EndUsers(database, quotas, uuid => phoneTokens.changing(uuid, Date.now()))
  const webhookSettings = new WebhookSettingsStore(database)
  return {
    accounts,
    callbackEnds: store.callbackEnds,
    assets: new AssetRows(database, quotas),
    destinations: new DestinationStore(database),
    documents,
    events,
    idempotency,
    keys,
    numbers,
    operatorChanges: new OperatorChanges(database),
    overviews: new Overviews({ accounts, calls, documents, events, numbers, recordings, users, webhookSettings }),
    phoneTokens,
    portalSessions: new PortalSessions(database, events),
    quotas,
    rates: new Rates(database),
    recordings,
    trunks: new Trunks(database),
    users,
    webhookSettings,
  }
}

/** Everything that another thread may ask for. */
export const storeParts = (store: Store, publicUrl: string): StoreParts => ({
  ...setupParts(store, publicUrl),
  books: new Books(store.database),
  calls: store.calls,
  heartbeat: store.heartbeat,
  ledger: store.ledger,
  lostUnits: new LostUnits(store),
  oldEvents: store.oldEvents,
  outbox: store.outbox,
})
