import { randomUUID } from 'node:crypto'
import type { AccountUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { NumberRecord, PoolNumberRecord } from '../../model/number-record.ts'
import type { Database } from './database.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import type { Ledger } from './ledger.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import { ownedNumberOf } from './profile-rows.ts'
import type { Row } from './schema.ts'

type Acquired =
  | { readonly ok: true; readonly number: NumberRecord }
  | { readonly ok: false; readonly refused: 'unknown' | 'taken' }
  | { readonly ok: false; readonly refused: 'insufficient-funds'; readonly fee: Money }

/** The answer of a request under its Idempotency-Key, byte for byte. */
export interface KeptAnswer {
  readonly key: string
  readonly status: number
  readonly body: string
}

/** What `configure` changes; undefined leaves a field alone, an empty URL inherits the account default. */
export interface NumberChange {
  readonly voiceInbound?: string | undefined
  readonly voiceOutbound?: string | undefined
  readonly status?: string | undefined
  readonly friendlyName?: string | undefined
}

/** Phone numbers: the operator's pool, and what accounts acquired of it. */
export class Numbers {
  readonly #database: Database
  readonly #ledger: Ledger
  readonly #idempotency: IdempotencyKeys
  readonly #find
  readonly #take

  constructor(database: Database, ledger: Ledger, idempotency: IdempotencyKeys) {
    this.#database = database
    this.#ledger = ledger
    this.#idempotency = idempotency
    this.#find = database.prepare<[string], Row<'numbers'>>('SELECT * FROM numbers WHERE uuid = ?')
    this.#take = database.prepare<[AccountUuid, number, string]>(
      'UPDATE numbers SET account_uuid = ?, acquired_unix = ?, is_active = 1 WHERE uuid = ? AND account_uuid IS NULL',
    )
  }

  /** Every number of the switch, its digits as a `number`: 15 of them are held exactly. */
  digits(): readonly number[] {
    const all = this.#database.prepare<[], number>('SELECT CAST(substr(number, 2) AS INTEGER) FROM numbers')
    return all.pluck().all()
  }

  /** By number. */
  async owned(account: AccountUuid): Promise<readonly NumberRecord[]> {
    const rows = await this.#database.sql
      .selectFrom('numbers')
      .selectAll()
      .where('account_uuid', '=', account)
      .orderBy('number')
      .execute()
    return rows.map(recordOf)
  }

  /** The pool, by number. */
  async available(): Promise<readonly PoolNumberRecord[]> {
    const rows = await this.#database.sql
      .selectFrom('numbers')
      .selectAll()
      .where('account_uuid', 'is', null)
      .orderBy('number')
      .execute()
    return rows.map(poolRecordOf)
  }

  /** What `acquire` would give if the account can pay; changes nothing. */
  async offer(account: AccountUuid, uuid: string, unixMs: number): Promise<Acquired> {
    const found = this.#find.get(uuid)
    if (found === undefined) return { ok: false, refused: 'unknown' }
    if (found.account_uuid !== null) return { ok: false, refused: 'taken' }
    return { ok: true, number: acquiredOf(found, account, unixMs) }
  }

  /** Ownership, setup fee, and the answer that is kept under an Idempotency-Key, in one unit. */
  acquire(account: AccountUuid, uuid: string, unixMs: number, answer?: KeptAnswer): Promise<Acquired> {
    return this.#database.write((): Acquired => {
      const found = this.#find.get(uuid)
      if (found === undefined) return { ok: false, refused: 'unknown' }
      if (found.account_uuid !== null) return { ok: false, refused: 'taken' }
      const paid = this.#ledger.charge({
        kind: 'number',
        account,
        price: found.setup_fee,
        against: 'revenue:numbers',
        details: { number: found.number },
        unixMs,
      })
      if (!paid) return { ok: false, refused: 'insufficient-funds', fee: found.setup_fee }
      this.#take.run(account, unixMs, uuid)
      if (answer !== undefined) this.#idempotency.complete({ accountUuid: account, ...answer })
      return { ok: true, number: acquiredOf(found, account, unixMs) }
    })
  }

  /** Back to the pool, without the owner's label and webhooks. Gives the number; undefined when it is not owned. */
  release(account: AccountUuid, uuid: string): Promise<string | undefined> {
    return this.#database.write(() => {
      const found = this.#find.get(uuid)
      if (found === undefined || found.account_uuid !== account) return undefined
      this.#database.run(
        this.#database.sql
          .updateTable('numbers')
          .set({
            account_uuid: null,
            acquired_unix: null,
            friendly_name: '',
            webhook_voice_inbound: '',
            webhook_voice_outbound: '',
            webhook_status: '',
          })
          .where('uuid', '=', uuid),
      )
      return found.number
    })
  }

  configure(account: AccountUuid, uuid: string, change: NumberChange): Promise<NumberRecord | undefined> {
    return this.#database.write(() => {
      const found = this.#find.get(uuid)
      if (found === undefined || found.account_uuid !== account) return undefined
      const set = {
        friendly_name: change.friendlyName ?? found.friendly_name,
        webhook_voice_inbound: change.voiceInbound ?? found.webhook_voice_inbound,
        webhook_voice_outbound: change.voiceOutbound ?? found.webhook_voice_outbound,
        webhook_status: change.status ?? found.webhook_status,
      }
      this.#database.run(this.#database.sql.updateTable('numbers').set(set).where('uuid', '=', uuid))
      return recordOf({ ...found, ...set })
    })
  }

  /** All numbers of the switch, in their order; `search`: digits that stand together anywhere in the number. */
  list(range: PageRange & { readonly number?: string; readonly search?: string }): Promise<Page<PoolNumberRecord>> {
    const { search = '' } = range
    let all = this.#database.sql.selectFrom('numbers').selectAll()
    if (search !== '')
      all = all.where(({ eb, fn, ref }) => eb(fn<number>('instr', [ref('number'), eb.val(search)]), '>', 0))
    if (range.number !== undefined) all = all.where('number', '=', range.number)
    return pageOf(all.orderBy('number'), range, poolRecordOf)
  }

  /** Adds a number to the pool; undefined when the switch has it already. */
  add(number: string, setupFee: Money, unixMs: number): Promise<PoolNumberRecord | undefined> {
    return this.#database.write(() => {
      const { sql } = this.#database
      const same = sql.selectFrom('numbers').select('uuid').where('number', '=', number)
      if (this.#database.get(same) !== undefined) return undefined
      const uuid = randomUUID()
      this.#database.run(
        sql.insertInto('numbers').values({
          uuid,
          number,
          setup_fee: setupFee,
          account_uuid: null,
          acquired_unix: null,
          created_unix: unixMs,
        }),
      )
      return { uuid, number, setupFee, accountUuid: null }
    })
  }

  remove(uuid: string): Promise<'removed' | 'unknown' | 'owned'> {
    return this.#database.write(() => {
      const found = this.#find.get(uuid)
      if (found === undefined) return 'unknown'
      if (found.account_uuid !== null) return 'owned'
      this.#database.run(this.#database.sql.deleteFrom('numbers').where('uuid', '=', uuid))
      return 'removed'
    })
  }
}

const recordOf = (row: Row<'numbers'>): NumberRecord => ({
  ...ownedNumberOf(row),
  friendlyName: row.friendly_name,
  acquiredUnix: row.acquired_unix,
})

const acquiredOf = (row: Row<'numbers'>, account: AccountUuid, unixMs: number): NumberRecord =>
  recordOf({ ...row, account_uuid: account, acquired_unix: unixMs, is_active: 1 })

const poolRecordOf = (row: Row<'numbers'>): PoolNumberRecord => ({
  uuid: row.uuid,
  number: row.number,
  setupFee: row.setup_fee,
  accountUuid: row.account_uuid,
})
