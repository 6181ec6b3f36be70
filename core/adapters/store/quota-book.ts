import { randomUUID } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import { isNoticed, type QuotaName, type Quotas, quotaSentence, quotas } from '../../model/quota.ts'
import type { Database } from './database.ts'
import { quotaUsedUp } from './errors.ts'
import type { Events } from './events.ts'
import type { Row } from './schema.ts'

/** What the database counts; streams are counted where they are open. */
type CountedQuota = Exclude<QuotaName, 'streamConnections'>
type Usage = Readonly<Record<CountedQuota, number>>

/** An account that crosses the limit again and again is reported once in this time. */
const noticePauseMs = 3_600_000

/** What accounts have stored, and how much each may. `take` and `stored` are synchronous: for use inside a unit of work. */
export class QuotaBook {
  readonly #database: Database
  readonly #events: Pick<Events, 'append'>
  readonly #defaults: Quotas
  readonly #account
  readonly #ofRecording
  readonly #liveTokens
  /** When an account was last warned of a quota, by account and quota. */
  readonly #noticed = new Map<string, number>()

  /** `defaults`: for accounts without limits of their own. */
  constructor(database: Database, events: Pick<Events, 'append'>, defaults: Quotas) {
    this.#database = database
    this.#events = events
    this.#defaults = defaults
    this.#account = database.prepare<[string], Row<'accounts'>>('SELECT * FROM accounts WHERE uuid = ?')
    this.#ofRecording = database.prepare<[string], { account_uuid: AccountUuid; size_bytes: number | null }>(
      'SELECT account_uuid, size_bytes FROM recordings WHERE uuid = ?',
    )
    this.#liveTokens = database.prepare<[string, number], { live: number }>(
      'SELECT count(*) AS live FROM phone_tokens WHERE account_uuid = ? AND revoked_unix IS NULL AND expires_unix > ?',
    )
  }

  limits(row: Row<'accounts'>): Quotas {
    const { assetBytes, recordingBytes, documents, endUsers, liveTokens, streamConnections } = this.#defaults
    return {
      assetBytes: row.max_asset_bytes ?? assetBytes,
      recordingBytes: row.max_recording_bytes ?? recordingBytes,
      documents: row.max_documents ?? documents,
      endUsers: row.max_end_users ?? endUsers,
      liveTokens: row.max_live_tokens ?? liveTokens,
      streamConnections: row.max_stream_connections ?? streamConnections,
    }
  }

  usage(row: Row<'accounts'>, unixMs: number): Usage {
    return {
      assetBytes: row.asset_bytes,
      recordingBytes: row.recording_bytes,
      documents: row.document_count,
      endUsers: row.end_user_count,
      liveTokens: this.#liveTokens.get(row.uuid, unixMs)?.live ?? 0,
    }
  }

  /** Room for `more`, before it is stored; throws `store.quota`, with its sentence, when there is not so much. */
  take(account: AccountUuid, name: CountedQuota, more: number, unixMs: number): void {
    const row = this.#account.get(account)
    if (row === undefined || more <= 0) return
    const limit = this.limits(row)[name]
    const used = this.usage(row, unixMs)[name]
    if (used + more > limit) throw quotaUsedUp(quotaSentence(name, limit))
    this.#notice(account, name, used, used + more, limit, unixMs)
  }

  /** A recording has its size: what it takes is taken, over the quota as well. */
  recordingStored(uuid: string, unixMs: number): void {
    const stored = this.#ofRecording.get(uuid)
    const row = stored && this.#account.get(stored.account_uuid)
    if (stored === undefined || row === undefined) return
    const used = row.recording_bytes
    const before = used - (stored.size_bytes ?? 0)
    this.#notice(row.uuid, 'recordingBytes', before, used, this.limits(row).recordingBytes, unixMs)
  }

  /** So much of the quota is used that deleted files are purged at once. */
  isTight(account: AccountUuid, name: CountedQuota, unixMs: number): boolean {
    const row = this.#account.get(account)
    return row !== undefined && isNoticed(this.usage(row, unixMs)[name], this.limits(row)[name])
  }

  /** How many streams the account may have open. */
  async streamLimit(account: AccountUuid): Promise<number> {
    const row = this.#account.get(account)
    return row === undefined ? 0 : this.limits(row).streamConnections
  }

  /** One more stream is open. */
  streamOpened(account: AccountUuid, open: number, limit: number, unixMs: number): Promise<void> {
    if (isNoticed(open - 1, limit) || !isNoticed(open, limit)) return Promise.resolve()
    return this.#database.write(() => this.#notice(account, 'streamConnections', open - 1, open, limit, unixMs))
  }

  #notice(account: AccountUuid, name: QuotaName, before: number, used: number, limit: number, unixMs: number): void {
    if (isNoticed(before, limit) || !isNoticed(used, limit)) return
    const key = `${account} ${name}`
    if (unixMs - (this.#noticed.get(key) ?? Number.NEGATIVE_INFINITY) < noticePauseMs) return
    // Only then: a unit that is undone has warned of nothing, and may run once more.
    this.#database.afterCommit(() => this.#noticed.set(key, unixMs))
    this.#events.append({
      uuid: randomUUID(),
      code: 'ACCT.0100',
      accountUuid: account,
      callUuid: null,
      sid: null,
      number: null,
      customPayload: null,
      createdUnix: unixMs,
      data: { quota: quotas[name].field, used, limit },
    })
  }
}
