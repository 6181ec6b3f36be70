import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { RecordingRecord } from '../../model/call-record.ts'
import { RecordingLinks } from '../tokens/recording-links.ts'
import { openSigningKeys, type SigningPurpose } from '../tokens/signing-keys.ts'
import { StreamTokens } from '../tokens/stream-tokens.ts'
import { Assets } from './assets.ts'
import type { EventListener } from './events.ts'
import { UsedKeys } from './key-uses.ts'
import { type DestinationAccess, KnownRates, type RateAccess, type TrunkAccess } from './known-setup.ts'
import type { PhoneTokenAccess } from './known-tokens.ts'
import { OpenMarks } from './open-marks.ts'
import type { Served } from './served.ts'
import { type StoreBase, setupParts } from './store-parts.ts'

/** Everything that is set up by people, as opposed to what calls write. */
export interface Repositories
  extends Pick<
    Served,
    | 'accounts'
    | 'callbackEnds'
    | 'numbers'
    | 'operatorChanges'
    | 'overviews'
    | 'portalSessions'
    | 'quotas'
    | 'users'
    | 'webhookSettings'
  > {
  readonly assets: Assets
  readonly destinations: DestinationAccess
  readonly documents: Served['documents'] & {
    /** Whether a webhook URL is one of ours, so that no HTTP is needed. */
    isHosted(url: string): boolean
  }
  /** The event log: what the stream is fed by. */
  readonly events: Served['events'] & {
    /** Every event once it is durable, in the order of its account. Returns what ends it. */
    subscribe(listener: EventListener): () => void
  }
  readonly idempotency: OpenMarks
  readonly keys: UsedKeys
  readonly phoneTokens: PhoneTokenAccess
  readonly rates: RateAccess
  readonly recordingLinks: RecordingLinks
  readonly recordings: Served['recordings'] & {
    /** Where the audio is; undefined for a path that would lead out of the folder. */
    fileOf(record: RecordingRecord): string | undefined
  }
  readonly streamTokens: StreamTokens
  readonly trunks: TrunkAccess
}

interface RepositoryParts
  extends Pick<
    Repositories,
    'documents' | 'events' | 'trunks' | 'rates' | 'recordings' | 'destinations' | 'phoneTokens'
  > {
  readonly served: Pick<
    Served,
    | 'accounts'
    | 'assets'
    | 'callbackEnds'
    | 'idempotency'
    | 'keys'
    | 'numbers'
    | 'operatorChanges'
    | 'overviews'
    | 'portalSessions'
    | 'quotas'
    | 'users'
    | 'webhookSettings'
  >
  /** The data folder: assets and recordings are in it. */
  readonly folder: string
  readonly signingKey: (purpose: SigningPurpose) => KeyObject
}

export function repositoriesOver(parts: RepositoryParts): Repositories {
  const { served, folder, signingKey } = parts
  const {
    accounts,
    callbackEnds,
    idempotency,
    numbers,
    operatorChanges,
    overviews,
    portalSessions,
    quotas,
    users,
    webhookSettings,
  } = served
  return {
    accounts,
    callbackEnds,
    assets: new Assets(served.assets, join(folder, 'assets')),
    destinations: parts.destinations,
    documents: parts.documents,
    events: parts.events,
    idempotency: new OpenMarks(idempotency),
    keys: new UsedKeys(served.keys),
    numbers,
    operatorChanges,
    overviews,
    phoneTokens: parts.phoneTokens,
    portalSessions,
    quotas,
    rates: parts.rates,
    recordingLinks: new RecordingLinks(signingKey('recording-link')),
    recordings: parts.recordings,
    streamTokens: new StreamTokens(signingKey('stream-token')),
    trunks: parts.trunks,
    users,
    webhookSettings,
  }
}

/** Over a database in this thread: for tests and for programs that serve no calls. `publicUrl` without a trailing slash. */
export function openRepositories(store: StoreBase, publicUrl: string): Repositories {
  const served = setupParts(store, publicUrl)
  const { folder } = store.database
  const rates = new KnownRates(served.rates, served.rates.packed())
  served.rates.watch(() => rates.changed(served.rates.packed()))
  return repositoriesOver({ ...served, rates, served, folder, signingKey: openSigningKeys(folder) })
}
