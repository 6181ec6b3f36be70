import type { Quotas } from '../../model/quota.ts'
import { defaultSettings } from '../../model/settings.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { CallbackEnds } from './callback-ends.ts'
import { Calls } from './calls.ts'
import type { Database } from './database.ts'
import { OldEvents } from './event-purge.ts'
import { Events } from './events.ts'
import { HeartbeatRow } from './heartbeat.ts'
import { Holds } from './holds.ts'
import { IdempotencyKeys } from './idempotency.ts'
import { Ledger } from './ledger.ts'
import { Outbox } from './outbox.ts'
import { QuotaBook } from './quota-book.ts'

/** The parts of the store that calls and money are made of, over one database. */
export interface Store {
  readonly database: Database
  readonly calls: Calls
  readonly ledger: Ledger
  readonly holds: Holds
  readonly events: Events
  readonly outbox: Outbox
  readonly callbackEnds: CallbackEnds
  readonly oldEvents: OldEvents
  readonly heartbeat: HeartbeatRow
  readonly idempotency: IdempotencyKeys
  readonly quotas: QuotaBook
}

interface StoreOptions {
  readonly clock: Clock
  readonly log: Log
  /** What an account may store where its operator has said nothing else. Default: the settings' defaults. */
  readonly quotas?: Quotas
}

export function storeOver(
  database: Database,
  { clock, log, quotas: defaults = defaultSettings.quotas }: StoreOptions,
): Store {
  const ledger = new Ledger(database)
  const holds = new Holds(database, ledger)
  const outbox = new Outbox(database)
  const events = new Events(database, outbox, log)
  const idempotency = new IdempotencyKeys(database)
  const quotas = new QuotaBook(database, events, defaults)
  const calls = new Calls({ database, holds, events, idempotency, quotas, clock })
  const callbackEnds = new CallbackEnds(database, outbox, events)
  const oldEvents = new OldEvents(database)
  const heartbeat = new HeartbeatRow(database)
  return { database, calls, ledger, holds, events, outbox, callbackEnds, oldEvents, heartbeat, idempotency, quotas }
}
