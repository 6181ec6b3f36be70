import { sql } from 'kysely'
import { callView } from '../../events/call-data.ts'
import type { VoiceEvent } from '../../events/voice-event.ts'
import type { CallRecord, LegRecord } from '../../model/call-record.ts'
import type { EndReason } from '../../model/end-reason.ts'
import type { AccountUuid, CallUuid, Sid } from '../../model/ids.ts'
import type { CallFilter, CallSummary } from '../../model/list.ts'
import type { Clock } from '../../ports/clock.ts'
import type { CallStore, Change, CommitResult } from '../../ports/store.ts'
import { type CallTables, callOf, callTables, legOf } from './call-rows.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { Holds } from './holds.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import { mergedUnit } from './merged-unit.ts'
import { type Page, pageOf } from './page.ts'
import { ProfileRows } from './profile-rows.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'

export type { CallFilter }

export interface CallPage {
  readonly calls: readonly CallRecord[]
  /** How many calls the filter fits. */
  readonly total: number
}

/** What the units of work are made of. */
interface CallsParts {
  readonly database: Database
  readonly holds: Holds
  readonly events: Events
  readonly idempotency: IdempotencyKeys
  readonly quotas: QuotaBook
  readonly clock: Pick<Clock, 'unixMs'>
}

/** Undo a unit when they are thrown; constants, because a refusal is no fault and needs no stack. */
const insufficientFunds: CommitResult = Object.freeze({ ok: false, refused: 'insufficient-funds' })
const unknownCall: CommitResult = Object.freeze({ ok: false, refused: 'unknown-call' })
const committed: CommitResult = Object.freeze({ ok: true })

/** Calls as the call machine writes them and as the lists show them. */
export class Calls implements Omit<CallStore, 'commit' | 'knownOwner'> {
  readonly #parts: CallsParts
  readonly #tables: CallTables
  readonly #profiles: ProfileRows
  readonly #byUuid
  readonly #bySid
  readonly #exists
  readonly #legs
  readonly #live
  readonly #slices
  readonly #reasons

  constructor(parts: CallsParts) {
    const { database } = parts
    this.#parts = parts
    this.#tables = callTables(database)
    this.#profiles = new ProfileRows(database)
    this.#byUuid = database.prepare<[string, AccountUuid], Row<'calls'>>(
      'SELECT * FROM calls WHERE uuid = ? AND account_uuid = ?',
    )
    this.#bySid = database.prepare<[string, AccountUuid], Row<'calls'>>(
      'SELECT * FROM calls WHERE sid = ? AND account_uuid = ?',
    )
    this.#exists = database.prepare<[CallUuid], unknown>('SELECT 1 FROM calls WHERE uuid = ?')
    this.#legs = database.prepare<[CallUuid], Row<'legs'>>('SELECT * FROM legs WHERE call_uuid = ? ORDER BY rowid')
    this.#live = database.prepare<[AccountUuid], { live: number }>(
      "SELECT count(*) AS live FROM calls WHERE account_uuid = ? AND status IN ('initiated', 'ringing', 'answered')",
    )
    this.#slices = database.prepare<
      [{ account: AccountUuid; from: number; slice: number }],
      { slice: number; calls: number; failed: number; talkSeconds: number; cost: number }
    >(
      `SELECT CAST((created_unix - @from) / @slice AS INTEGER) AS slice, count(*) AS calls, sum(status = 'failed') AS failed,
              coalesce(sum(talk_seconds), 0) AS talkSeconds, sum(cost) AS cost
         FROM calls WHERE account_uuid = @account AND created_unix >= @from GROUP BY slice ORDER BY slice`,
    )
    this.#reasons = database.prepare<[AccountUuid, number], { reason: string; calls: number }>(
      `SELECT reason_code AS reason, count(*) AS calls FROM calls
        WHERE account_uuid = ? AND created_unix >= ? AND status = 'failed' GROUP BY reason_code ORDER BY calls DESC LIMIT 20`,
    )
  }

  /** `unixMs`: when the money moves; default now. */
  async commit(unit: readonly Change[], unixMs = this.#parts.clock.unixMs()): Promise<CommitResult> {
    try {
      return await this.#parts.database.write(() => this.#apply(unit, unixMs))
    } catch (cause) {
      if (cause === insufficientFunds) return insufficientFunds
      if (cause === unknownCall) return unknownCall
      throw cause
    }
  }

  /** The same for a unit whose result no caller awaits: it may reach the writer some milliseconds later. */
  commitSoon(unit: readonly Change[], unixMs: number): Promise<CommitResult> {
    return this.commit(unit, unixMs)
  }

  account(uuid: AccountUuid) {
    return Promise.resolve(this.#profiles.account(uuid))
  }

  numberOwner(e164: string) {
    return Promise.resolve(this.#profiles.numberOwner(e164))
  }

  ownedNumber(account: AccountUuid, e164: string) {
    return Promise.resolve(this.#profiles.ownedNumber(account, e164))
  }

  firstNumber(account: AccountUuid) {
    return Promise.resolve(this.#profiles.firstNumber(account))
  }

  spendable(account: AccountUuid) {
    return Promise.resolve(this.#profiles.spendable(account))
  }

  endUser(account: AccountUuid, key: string) {
    return Promise.resolve(this.#profiles.endUser(account, key))
  }

  get(account: AccountUuid, uuid: string): Promise<CallRecord | undefined> {
    const row = this.#byUuid.get(uuid, account)
    return Promise.resolve(row && callOf(row))
  }

  getBySid(account: AccountUuid, sid: Sid | string): Promise<CallRecord | undefined> {
    const row = this.#bySid.get(sid, account)
    return Promise.resolve(row && callOf(row))
  }

  /** The legs of a call, in the order in which they began. */
  legsOf(call: CallUuid): Promise<readonly LegRecord[]> {
    return Promise.resolve(this.#legs.all(call).map(legOf))
  }

  /** How many calls of the account have not ended. */
  liveCount(account: AccountUuid): number {
    return this.#live.get(account)?.live ?? 0
  }

  /** The account's calls, newest first. */
  async list(account: AccountUuid, filter: CallFilter): Promise<CallPage> {
    const { direction, status, isLive, search, sid, reason, fromUnix, toUnix } = filter
    let fitting = this.#parts.database.sql.selectFrom('calls').where('account_uuid', '=', account)
    if (direction !== undefined) fitting = fitting.where('direction', '=', direction)
    if (status !== undefined) fitting = fitting.where('status', '=', status)
    // Written as the partial index is.
    if (isLive === true) fitting = fitting.where(sql<boolean>`status IN ('initiated', 'ringing', 'answered')`)
    if (sid !== undefined) fitting = fitting.where('sid', '=', sid as Sid)
    if (reason !== undefined) fitting = fitting.where('reason_code', '=', reason as EndReason)
    if (fromUnix !== undefined) fitting = fitting.where('created_unix', '>=', fromUnix)
    if (toUnix !== undefined) fitting = fitting.where('created_unix', '<=', toUnix)
    if (search !== undefined && search !== '') {
      fitting = fitting.where(({ eb, fn, or, ref }) => {
        const within = (column: 'from_number' | 'to_number') =>
          eb(fn<number>('instr', [ref(column), eb.val(search)]), '>', 0)
        return or([within('from_number'), within('to_number')])
      })
    }
    const newest = fitting.selectAll().orderBy('created_unix', 'desc').orderBy('id', 'desc')
    const { rows, total } = await pageOf(newest, filter, callOf)
    return { calls: rows, total }
  }

  /** The newest calls alone. The total of `list` costs an entry of the index for each call that the account ever had. */
  async newest(account: AccountUuid, limit: number): Promise<readonly CallRecord[]> {
    const all = this.#parts.database.sql.selectFrom('calls').selectAll().where('account_uuid', '=', account)
    const rows = await all.orderBy('created_unix', 'desc').orderBy('id', 'desc').limit(limit).execute()
    return rows.map(callOf)
  }

  /**
   * The same as `list`, each call in JSON as `GET /calls/{uuid}` shows it. Payloads of a page may have 200,000 keys: as objects they
   * would keep the asking thread, that of all calls, for a tenth of a second.
   */
  async listTexts(account: AccountUuid, filter: CallFilter): Promise<Page<string>> {
    const { calls, total } = await this.list(account, filter)
    return { rows: calls.map(call => JSON.stringify(callView(call))), total }
  }

  /** How many calls began in each `sliceMs` from `fromUnix` on, and why they ended. */
  async summary(account: AccountUuid, fromUnix: number, sliceMs: number): Promise<CallSummary> {
    const slices = this.#slices.all({ account, from: fromUnix, slice: sliceMs })
    const reasons = this.#reasons.all(account, fromUnix)
    return {
      slices: slices.map(({ slice, ...counted }) => ({ atUnix: fromUnix + slice * sliceMs, ...counted })),
      reasons,
    }
  }

  #apply(unit: readonly Change[], unixMs: number): CommitResult {
    const changes = mergedUnit(unit, this.#tables)
    for (let at = 0; at < changes.length; at++) {
      const change = changes[at]!
      if (change.type === 'event.append') {
        const events = eventsFrom(changes, at)
        this.#parts.events.appendAll(events)
        at += events.length - 1
      } else if (!this.#write(change, unixMs)) throw insufficientFunds
    }
    return committed
  }

  /** False: refused because the money does not suffice. */
  #write(change: Change, unixMs: number): boolean {
    const { holds, events, idempotency, quotas } = this.#parts
    switch (change.type) {
      case 'call.insert':
        this.#tables.calls.insert(change.call)
        return true
      case 'call.exists':
        if (this.#exists.get(change.uuid) === undefined) throw unknownCall
        return true
      case 'call.update':
        this.#tables.calls.update(change.uuid, change.set)
        return true
      case 'leg.insert':
        this.#tables.legs.insert(change.leg)
        return true
      case 'leg.update':
        this.#tables.legs.update(change.uuid, change.set)
        return true
      case 'hold.open':
        return holds.open(change.hold, unixMs)
      case 'hold.grow':
        return holds.grow(change.uuid, change.amount)
      case 'hold.settle':
        holds.settle(change.uuid, change, unixMs)
        return true
      case 'event.append':
        events.append(change.event)
        return true
      case 'recording.insert':
        this.#tables.recordings.insert(change.recording)
        return true
      case 'recording.update':
        this.#tables.recordings.update(change.uuid, change.set)
        if (change.set.sizeBytes !== undefined) quotas.recordingStored(change.uuid, unixMs)
        return true
      case 'idempotency.placed':
        idempotency.placed(change)
        return true
    }
  }
}

/** The events that follow one another from `at` on. */
function eventsFrom(changes: readonly Change[], at: number): readonly VoiceEvent[] {
  const events: VoiceEvent[] = []
  for (let change = changes[at]; change?.type === 'event.append'; change = changes[++at]) events.push(change.event)
  return events
}
