import { sql } from 'kysely'
import { type EventCode, eventCatalogue } from '../../events/catalogue.ts'
import { eventView, streamMessage } from '../../events/envelope.ts'
import { problemCodes } from '../../events/problem-events.ts'
import type { VoiceEvent } from '../../events/voice-event.ts'
import type { AccountUuid, Sid } from '../../model/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import { eventOf } from './event-rows.ts'
import type { Outbox } from './outbox.ts'
import type { Row } from './schema.ts'

/** An event as it is in its account's log. */
export interface LoggedEvent {
  /** 1, 2, 3 … within the account. */
  readonly seq: number
  readonly event: VoiceEvent
}

/** Events as the stream sends them. */
export interface EventMessages {
  /** A line each; one text, as that crosses threads at the cost of a copy. */
  readonly lines: string
  readonly lastSeq: number
}

/** Which events are wanted. */
export interface EventFilter {
  /** A code, or how codes begin: `WH.`. */
  readonly code?: string
  /** Without this one of them. */
  readonly except?: EventCode
  /** Only what went wrong, or soon will. */
  readonly problems?: boolean
  readonly sid?: string
  /** Only those that came before this one. */
  readonly before?: number
  readonly limit: number
}

export type EventListener = (logged: LoggedEvent) => void

/** Events that a moment may bring. */
const ofAMoment = 20_000

/** The event log: a place for each event within its account, the callback that it asks for, and the live feed. */
export class Events {
  readonly #database: Database
  readonly #outbox: Outbox
  readonly #log: Log
  readonly #place
  readonly #advance
  readonly #override
  readonly #insert
  readonly #after
  readonly #oldest
  readonly #givenUp
  readonly #last
  readonly #listeners = new Set<EventListener>()

  constructor(database: Database, outbox: Outbox, log: Log) {
    this.#database = database
    this.#outbox = outbox
    this.#log = log
    // Two statements: for what one with RETURNING gives back SQLite makes a table in memory each time.
    this.#place = database.prepare<[AccountUuid], { event_seq: number; endpoint_status: string }>(
      'SELECT event_seq, endpoint_status FROM accounts WHERE uuid = ?',
    )
    this.#advance = database.prepare<[number, AccountUuid]>('UPDATE accounts SET event_seq = ? WHERE uuid = ?')
    this.#override = database.prepare<[string, AccountUuid], { webhook_status: string }>(
      'SELECT webhook_status FROM numbers WHERE number = ? AND account_uuid = ?',
    )
    this.#insert = database.prepare<(string | number | null)[]>(
      `INSERT INTO events (uuid, account_uuid, seq, code, call_uuid, sid, number, custom_payload, data, created_unix)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#after = database.prepare<[AccountUuid, number, number], Row<'events'>>(
      'SELECT * FROM events WHERE account_uuid = ? AND seq > ? ORDER BY seq LIMIT ?',
    )
    this.#oldest = database.prepare<[AccountUuid], { seq: number }>(
      'SELECT seq FROM events WHERE account_uuid = ? ORDER BY seq LIMIT 1',
    )
    // Of those that are still wrong the newest is looked for, so few events came after it.
    this.#givenUp = database.prepare<[AccountUuid, number], Row<'events'>>(
      `SELECT * FROM events AS failed WHERE account_uuid = ? AND code = 'WH.0400' AND created_unix >= ?
          AND NOT EXISTS (SELECT 1 FROM events AS later
            WHERE later.account_uuid = failed.account_uuid AND later.seq > failed.seq AND later.code = 'WH.0200'
              AND later.data ->> 'id' = failed.data ->> 'id')
        ORDER BY seq DESC LIMIT 1`,
    )
    this.#last = database.prepare<[AccountUuid], { event_seq: number }>('SELECT event_seq FROM accounts WHERE uuid = ?')
  }

  /** Every event once it is durable, in the order of its account. Returns what ends it. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Inside a unit: logs the event, and puts its callback into the outbox when the catalogue wants one and a `status`
   * URL is set (the number's override, else the account's default).
   */
  append(event: VoiceEvent): void {
    this.appendAll([event])
  }

  /** The same for events that follow one another in a unit: the account's counter moves once. */
  appendAll(events: readonly VoiceEvent[]): void {
    for (let at = 0; at < events.length; ) {
      const { accountUuid } = events[at]!
      const account = this.#place.get(accountUuid)
      if (account === undefined) throw new StoreError('store.misuse', `there is no account ${accountUuid}`)
      let seq = account.event_seq
      for (let event = events[at]; event?.accountUuid === accountUuid; event = events[++at]) {
        this.#write({ seq: ++seq, event }, account.endpoint_status)
      }
      this.#advance.run(seq, accountUuid)
    }
  }

  #write(logged: LoggedEvent, accountDefault: string): void {
    const { seq, event } = logged
    const { lastInsertRowid } = this.#insert.run(
      event.uuid,
      event.accountUuid,
      seq,
      event.code,
      event.callUuid,
      event.sid,
      event.number,
      event.customPayload === null ? null : JSON.stringify(event.customPayload),
      JSON.stringify(event.data),
      event.createdUnix,
    )
    if (eventCatalogue[event.code].callback) {
      const url = this.#statusUrl(event, accountDefault)
      if (url !== '') this.#outbox.add(lastInsertRowid, event, url)
    }
    this.#database.afterCommit(() => this.#emit(logged))
  }

  /** The account's events after `seq`, oldest first. */
  after(account: AccountUuid, seq: number, limit: number): readonly LoggedEvent[] {
    return this.#after.all(account, seq, limit).map(row => ({ seq: row.seq, event: eventOf(row) }))
  }

  /** The same, as the stream sends them: made where they are read. Undefined: there is none. */
  messagesAfter(account: AccountUuid, seq: number, limit: number): EventMessages | undefined {
    const page = this.after(account, seq, limit)
    const last = page.at(-1)
    return last && { lines: page.map(logged => streamMessage(logged.seq, logged.event)).join('\n'), lastSeq: last.seq }
  }

  /** Events that fit, newest first. */
  async list(account: AccountUuid, filter: EventFilter): Promise<readonly LoggedEvent[]> {
    let fitting = this.#database.sql.selectFrom('events').selectAll().where('account_uuid', '=', account)
    // Written as the partial index is, which a parameter would hide.
    if (filter.code === 'WH.0400') fitting = fitting.where(sql<boolean>`code = 'WH.0400'`)
    else if (filter.code !== undefined)
      fitting = fitting.where('code', 'like', `${filter.code.replaceAll(/[%_\\]/g, '')}%` as EventCode)
    if (filter.problems === true) fitting = fitting.where('code', 'in', problemCodes)
    if (filter.except !== undefined) fitting = fitting.where('code', '<>', filter.except)
    if (filter.sid !== undefined) fitting = fitting.where('sid', '=', filter.sid as Sid)
    if (filter.before !== undefined) fitting = fitting.where('seq', '<', filter.before)
    const rows = await fitting.orderBy('seq', 'desc').limit(filter.limit).execute()
    return rows.map(row => ({ seq: row.seq, event: eventOf(row) }))
  }

  /** Ends of callbacks that fit, newest first, each with the event that was sent; without it where that is not kept. */
  async deliveries(
    account: AccountUuid,
    filter: EventFilter,
  ): Promise<readonly { readonly end: LoggedEvent; readonly sent?: VoiceEvent }[]> {
    const ends = await this.list(account, filter)
    const uuids = ends.map(({ event }) => String(event.data.id))
    const rows = await this.#database.sql
      .selectFrom('events')
      .selectAll()
      .where('account_uuid', '=', account)
      .where('uuid', 'in', uuids)
      .execute()
    const sentOf = new Map(rows.map(row => [row.uuid, eventOf(row)]))
    return ends.map((end, at) => {
      const sent = sentOf.get(uuids[at]!)
      return sent === undefined ? { end } : { end, sent }
    })
  }

  /** The same as the JSON that the API shows of each: made where they are read, and their payloads stay there. */
  async listTexts(account: AccountUuid, filter: EventFilter): Promise<readonly string[]> {
    const found = await this.list(account, filter)
    return found.map(({ seq, event }) => JSON.stringify(eventView(seq, event)))
  }

  /** Inside a unit: the row of an event of the account. */
  rowOf(account: AccountUuid, uuid: string): { readonly id: number; readonly event: VoiceEvent } | undefined {
    const row = this.#database.get(
      this.#database.sql.selectFrom('events').selectAll().where('account_uuid', '=', account).where('uuid', '=', uuid),
    )
    return row === undefined ? undefined : { id: row.id, event: eventOf(row) }
  }

  /** The last callback that was given up since then, and was not delivered after that. */
  lastGivenUp(account: AccountUuid, sinceUnix: number): LoggedEvent | undefined {
    const row = this.#givenUp.get(account, sinceUnix)
    return row && { seq: row.seq, event: eventOf(row) }
  }

  /**
   * Those of these events that are in the log, in its order. Asked when nothing but them, and what a moment brings, can
   * have been written since; so few of the newest are looked at, as no index holds their uuids.
   */
  among(uuids: readonly string[]): readonly { readonly uuid: string; readonly seq: number }[] {
    if (uuids.length === 0) return []
    return this.#database
      .prepare<[number, string], { uuid: string; seq: number }>(
        `SELECT uuid, seq FROM events
          WHERE id > (SELECT max(id) FROM events) - ? AND uuid IN (SELECT value FROM json_each(?)) ORDER BY id`,
      )
      .all(ofAMoment + uuids.length, JSON.stringify(uuids))
  }

  /** The place of the account's oldest event that is kept; the next one's when none is. */
  oldestSeq(account: AccountUuid): number {
    return this.#oldest.get(account)?.seq ?? this.lastSeq(account) + 1
  }

  /** The place of the account's newest event; 0 when it has none. */
  lastSeq(account: AccountUuid): number {
    return this.#last.get(account)?.event_seq ?? 0
  }

  #statusUrl(event: VoiceEvent, accountDefault: string): string {
    if (event.number === null) return accountDefault
    const override = this.#override.get(event.number, event.accountUuid)?.webhook_status ?? ''
    return override === '' ? accountDefault : override
  }

  #emit(logged: LoggedEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(logged)
      } catch (fault) {
        this.#log.error({ fault: String(fault), code: logged.event.code }, 'a listener of events failed')
      }
    }
  }
}
