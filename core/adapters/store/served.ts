import type { Accounts } from './accounts.ts'
import type { AssetRows } from './asset-rows.ts'
import type { Books } from './books.ts'
import type { CallbackEnds } from './callback-ends.ts'
import type { Calls } from './calls.ts'
import type { DestinationStore } from './destinations.ts'
import type { HostedDocuments } from './documents.ts'
import type { OldEvents } from './event-purge.ts'
import type { Events } from './events.ts'
import type { HeartbeatRow } from './heartbeat.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import type { ApiKeys } from './keys.ts'
import type { Ledger } from './ledger.ts'
import type { LostUnits } from './lost-units.ts'
import type { Numbers } from './numbers.ts'
import type { OperatorChanges } from './operator-changes.ts'
import type { Outbox } from './outbox.ts'
import type { Overviews } from './overviews.ts'
import type { PhoneTokens } from './phone-tokens.ts'
import type { PortalSessions } from './portal-sessions.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Rates } from './rates.ts'
import type { Recordings } from './recordings.ts'
import type { Trunks } from './trunks.ts'
import type { EndUsers } from './users.ts'
import type { WebhookSettingsStore } from './webhook-settings.ts'

/** The classes that speak to the database, each by the name that calls to it carry. */
export interface StoreParts {
  readonly accounts: Accounts
  readonly assets: AssetRows
  readonly books: Books
  readonly callbackEnds: CallbackEnds
  readonly calls: Calls
  readonly destinations: DestinationStore
  readonly documents: HostedDocuments
  readonly events: Events
  readonly heartbeat: HeartbeatRow
  readonly idempotency: IdempotencyKeys
  readonly keys: ApiKeys
  readonly ledger: Ledger
  readonly lostUnits: LostUnits
  readonly numbers: Numbers
  readonly oldEvents: OldEvents
  readonly operatorChanges: OperatorChanges
  readonly outbox: Outbox
  readonly overviews: Overviews
  readonly phoneTokens: PhoneTokens
  readonly portalSessions: PortalSessions
  readonly quotas: QuotaBook
  readonly rates: Rates
  readonly recordings: Recordings
  readonly trunks: Trunks
  readonly users: EndUsers
  readonly webhookSettings: WebhookSettingsStore
}

/**
 * Which thread runs a method. `write`: the writer, which alone changes anything. `soon`: the same, with the next write or
 * after some milliseconds, whichever comes first. `look`: a small look-up, of a call or of
 * a request, by its key; it waits neither for a commit nor for a list. `list`: whatever may read many rows; each account
 * has its turn.
 */
export type Lane = 'write' | 'soon' | 'look' | 'list'

/** Every method that the signalling thread may ask for. What runs inside a unit of work is not among them. */
export const lanes = {
  accounts: {
    get: 'look',
    list: 'list',
    names: 'list',
    create: 'write',
    change: 'write',
    credit: 'write',
    statement: 'list',
  },
  assets: { list: 'list', find: 'look', makeRoom: 'write', put: 'write', remove: 'write' },
  books: { problems: 'list' },
  callbackEnds: { store: 'write', again: 'write', test: 'write' },
  calls: {
    commit: 'write',
    commitSoon: 'soon',
    account: 'look',
    numberOwner: 'look',
    ownedNumber: 'look',
    firstNumber: 'look',
    spendable: 'look',
    endUser: 'look',
    get: 'look',
    getBySid: 'look',
    legsOf: 'look',
    list: 'list',
    listTexts: 'list',
    summary: 'list',
  },
  destinations: { replace: 'write' },
  documents: {
    list: 'list',
    get: 'look',
    byToken: 'look',
    byUrl: 'look',
    revisions: 'list',
    create: 'write',
    change: 'write',
    remove: 'write',
  },
  events: {
    after: 'list',
    messagesAfter: 'list',
    list: 'list',
    deliveries: 'list',
    listTexts: 'list',
    oldestSeq: 'look',
    lastSeq: 'look',
  },
  heartbeat: { beatWithLiveCalls: 'write', beat: 'write' },
  idempotency: { begin: 'write', free: 'write', freeInFlight: 'write', forgetOld: 'write' },
  keys: { ownerOf: 'look', list: 'list', create: 'write', revoke: 'write', touch: 'write' },
  ledger: { credit: 'write', statement: 'list' },
  lostUnits: { end: 'write' },
  numbers: {
    owned: 'list',
    available: 'list',
    list: 'list',
    offer: 'look',
    acquire: 'write',
    release: 'write',
    configure: 'write',
    add: 'write',
    remove: 'write',
  },
  oldEvents: { purge: 'write' },
  operatorChanges: { note: 'write', list: 'list' },
  outbox: { pendingAfter: 'look', pendingOf: 'look', message: 'look' },
  overviews: { of: 'list' },
  phoneTokens: { list: 'list', mint: 'write', revoke: 'write', revokeAllOf: 'write', forgetOld: 'write' },
  portalSessions: {
    find: 'look',
    list: 'look',
    seen: 'write',
    open: 'write',
    link: 'write',
    redeem: 'write',
    end: 'write',
  },
  quotas: { streamLimit: 'look', streamOpened: 'write' },
  rates: { replacePacked: 'write' },
  recordings: {
    list: 'list',
    parties: 'list',
    get: 'look',
    find: 'look',
    remove: 'write',
    due: 'look',
    nextExpiry: 'look',
    purged: 'write',
  },
  trunks: { create: 'write', change: 'write', remove: 'write' },
  users: { list: 'list', byExtension: 'look', create: 'write', change: 'write', remove: 'write' },
  webhookSettings: { get: 'look', secret: 'look', change: 'write', rotate: 'write' },
} as const satisfies { readonly [Part in keyof StoreParts]: { readonly [Method in keyof StoreParts[Part]]?: Lane } }

/** A method as it is from another thread: what it gives may be there only later. */
type Asked<Method> = Method extends (...args: infer Args) => infer Result
  ? [Result] extends [Promise<unknown>]
    ? Method
    : (...args: Args) => Result | Promise<Result>
  : never

/** The parts as the signalling thread sees them, over a database in its own thread or in another. */
export type Served = {
  readonly [Part in keyof StoreParts]: {
    readonly [Method in keyof (typeof lanes)[Part] & keyof StoreParts[Part]]: Asked<StoreParts[Part][Method]>
  }
}
