import type { VoiceEvent } from '../../events/voice-event.ts'
import type { AccountUuid, CallUuid } from '../../model/ids.ts'
import type { Database } from './database.ts'
import { eventOf } from './event-rows.ts'
import type { Row } from './schema.ts'

/** What the schedule needs of a callback that waits; the body is read when it is sent. */
export interface PendingCallback {
  readonly id: number
  readonly accountUuid: AccountUuid
  readonly callUuid: CallUuid | null
  readonly url: string
  /** Tries finished. */
  readonly tries: number
  readonly dueUnix: number
}

interface CallbackMessage {
  readonly event: VoiceEvent
  /** As it is now: a rotated secret stops being used at once. */
  readonly signingSecret: string
}

const pendingOf = (row: Row<'outbox'>): PendingCallback => ({
  id: row.id,
  accountUuid: row.account_uuid,
  callUuid: row.call_uuid,
  url: row.url,
  tries: row.tries,
  dueUnix: row.due_unix,
})

/** Status callbacks that are still to be delivered. A row goes when its callback was delivered or given up. */
export class Outbox {
  readonly #database: Database
  readonly #insert
  readonly #pending
  readonly #pendingOf
  readonly #message
  readonly #reschedule
  readonly #remove
  readonly #countFailure
  readonly #listeners = new Set<() => void>()

  constructor(database: Database) {
    this.#database = database
    this.#insert = database.prepare<[number | bigint, AccountUuid, CallUuid | null, string, number]>(
      'INSERT INTO outbox (event_id, account_uuid, call_uuid, url, tries, due_unix) VALUES (?, ?, ?, ?, 0, ?)',
    )
    this.#pending = database.prepare<[number, number], Row<'outbox'>>(
      'SELECT * FROM outbox WHERE id > ? ORDER BY id LIMIT ?',
    )
    this.#pendingOf = database.prepare<[AccountUuid, number, number, number], Row<'outbox'>>(
      'SELECT * FROM outbox WHERE account_uuid = ? AND id > ? AND id <= ? ORDER BY id LIMIT ?',
    )
    this.#message = database.prepare<[number], Row<'events'> & { signing_secret: string }>(
      `SELECT e.*, a.signing_secret FROM outbox o
         JOIN events e ON e.id = o.event_id JOIN accounts a ON a.uuid = o.account_uuid WHERE o.id = ?`,
    )
    this.#reschedule = database.prepare<[number, number, number]>(
      'UPDATE outbox SET tries = ?, due_unix = ? WHERE id = ?',
    )
    this.#remove = database.prepare<[number]>('DELETE FROM outbox WHERE id = ?')
    this.#countFailure = database.prepare<[AccountUuid, string, number]>(
      `INSERT INTO webhook_endpoints (account_uuid, url, failures, last_failure_unix) VALUES (?, ?, 1, ?)
         ON CONFLICT DO UPDATE SET failures = failures + 1, last_failure_unix = excluded.last_failure_unix`,
    )
  }

  /** Reports when callbacks were added, once they are durable. Returns what ends it. */
  onAdded(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Inside a unit: the event is to be delivered to `url`, at once. */
  add(eventId: number | bigint, event: VoiceEvent, url: string): void {
    this.#insert.run(eventId, event.accountUuid, event.callUuid, url, event.createdUnix)
    this.#database.afterCommit(() => {
      for (const listener of this.#listeners) listener()
    })
  }

  /** Callbacks in the order in which they were added, after `id`. */
  pendingAfter(id: number, limit: number): readonly PendingCallback[] {
    return this.#pending.all(id, limit).map(pendingOf)
  }

  /** Callbacks of one account with ids in that range, `upTo` included. */
  pendingOf(
    account: AccountUuid,
    { after, upTo }: { readonly after: number; readonly upTo: number },
    limit: number,
  ): readonly PendingCallback[] {
    return this.#pendingOf.all(account, after, upTo, limit).map(pendingOf)
  }

  message(id: number): CallbackMessage | undefined {
    const row = this.#message.get(id)
    return row === undefined ? undefined : { event: eventOf(row), signingSecret: row.signing_secret }
  }

  /** Inside a unit: try number `tries` failed, the next is due at `dueUnix`. */
  reschedule(id: number, tries: number, dueUnix: number): void {
    this.#reschedule.run(tries, dueUnix, id)
  }

  /** Inside a unit: the callback was delivered. False: that is known already. */
  delivered(id: number): boolean {
    return this.#remove.run(id).changes === 1
  }

  /** Inside a unit: the callback is given up, and counted against its endpoint. False: that is known already. */
  gaveUp(callback: PendingCallback, unixMs: number): boolean {
    if (this.#remove.run(callback.id).changes === 0) return false
    this.#countFailure.run(callback.accountUuid, callback.url, unixMs)
    return true
  }
}
