import { randomUUID } from 'node:crypto'
import type { AccountRecord } from '../../model/account-record.ts'
import type { AccountUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import { type QuotaName, quotas } from '../../model/quota.ts'
import type { Database } from './database.ts'
import type { ApiKeys } from './keys.ts'
import type { Ledger, Statement } from './ledger.ts'
import { type Page, type PageRange, pageOf } from './page.ts'
import type { QuotaBook } from './quota-book.ts'
import type { Row } from './schema.ts'
import { defaultFallbackText, newSigningSecret } from './webhook-settings.ts'

export interface NewAccount {
  readonly name: string
  /** Default 0. */
  readonly walletBalance?: Money | undefined
  /** Default 0. */
  readonly graceAmount?: Money | undefined
  /** Default 0. */
  readonly creditLimit?: Money | undefined
  /** Default 50. */
  readonly maxConcurrentCalls?: number | undefined
  /** Default 10. */
  readonly maxCallsPerSecond?: number | undefined
  /** Default 100. */
  readonly maxInboundCalls?: number | undefined
  /** Default 200. */
  readonly maxDialledLegs?: number | undefined
  /** Null, and what is missing, is what the settings say. */
  readonly quotas?: { readonly [name in QuotaName]?: number | null | undefined } | undefined
}

export type AccountChange = Omit<NewAccount, 'walletBalance' | 'name'> & {
  readonly name?: string | undefined
  readonly status?: 'active' | 'suspended' | undefined
}

/** Accounts as the operator makes and changes them. Money moves only through the ledger. */
export class Accounts {
  readonly #database: Database
  readonly #ledger: Ledger
  readonly #keys: ApiKeys
  readonly #quotas: QuotaBook
  readonly #find
  readonly #names

  constructor(database: Database, ledger: Ledger, keys: ApiKeys, quotas: QuotaBook) {
    this.#database = database
    this.#ledger = ledger
    this.#keys = keys
    this.#quotas = quotas
    this.#find = database.prepare<[string], Row<'accounts'>>('SELECT * FROM accounts WHERE uuid = ?')
    this.#names = database.prepare<[string], { uuid: string; name: string }>(
      'SELECT uuid, name FROM accounts WHERE uuid IN (SELECT value FROM json_each(?))',
    )
  }

  async get(uuid: string): Promise<AccountRecord | undefined> {
    const row = this.#find.get(uuid)
    return row === undefined ? undefined : this.#recordOf(row)
  }

  /** Newest first; `search`: any part of the name in upper or lower case, or the whole uuid. */
  list({ search = '', ...range }: PageRange & { readonly search?: string }): Promise<Page<AccountRecord>> {
    let all = this.#database.sql.selectFrom('accounts').selectAll()
    if (search !== '')
      all = all.where(({ eb, fn, or, ref }) =>
        or([
          eb(fn<number>('instr', [fn('lower', [ref('name')]), eb.val(search.toLowerCase())]), '>', 0),
          eb('uuid', '=', search as AccountUuid),
        ]),
      )
    return pageOf(all.orderBy('created_unix', 'desc').orderBy('uuid'), range, row => this.#recordOf(row))
  }

  /** Of those of them that there are. */
  names(uuids: readonly string[]): readonly { readonly uuid: string; readonly name: string }[] {
    return this.#names.all(JSON.stringify(uuids))
  }

  /** An account with its first API key and its first balance, all or nothing. */
  create(account: NewAccount, unixMs: number): Promise<{ account: AccountRecord; key: string }> {
    const uuid = randomUUID() as AccountUuid
    return this.#database.write(() => {
      this.#database.run(
        this.#database.sql.insertInto('accounts').values({
          uuid,
          name: account.name,
          status: 'active',
          grace_amount: account.graceAmount ?? 0,
          credit_limit: account.creditLimit ?? 0,
          max_concurrent_calls: account.maxConcurrentCalls ?? 50,
          max_calls_per_second: account.maxCallsPerSecond ?? 10,
          max_inbound_calls: account.maxInboundCalls ?? 100,
          max_dialled_legs: account.maxDialledLegs ?? 200,
          ...quotaColumns(account),
          fallback_mode: 'message',
          fallback_value: defaultFallbackText,
          signing_secret: newSigningSecret(),
          created_unix: unixMs,
        }),
      )
      const balance = account.walletBalance ?? 0
      if (balance !== 0) this.#ledger.creditNow(uuid, balance, unixMs, 'opening balance')
      const { key } = this.#keys.insert(uuid, 'default', unixMs)
      return { account: this.#mustFind(uuid), key }
    })
  }

  async change(uuid: string, change: AccountChange): Promise<AccountRecord | undefined> {
    const set = {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.graceAmount === undefined ? {} : { grace_amount: change.graceAmount }),
      ...(change.creditLimit === undefined ? {} : { credit_limit: change.creditLimit }),
      ...(change.maxConcurrentCalls === undefined ? {} : { max_concurrent_calls: change.maxConcurrentCalls }),
      ...(change.maxCallsPerSecond === undefined ? {} : { max_calls_per_second: change.maxCallsPerSecond }),
      ...(change.maxInboundCalls === undefined ? {} : { max_inbound_calls: change.maxInboundCalls }),
      ...(change.maxDialledLegs === undefined ? {} : { max_dialled_legs: change.maxDialledLegs }),
      ...quotaColumns(change),
    }
    if (Object.keys(set).length > 0) {
      await this.#database.write(() =>
        this.#database.run(
          this.#database.sql
            .updateTable('accounts')
            .set(set)
            .where('uuid', '=', uuid as AccountUuid),
        ),
      )
    }
    return this.get(uuid)
  }

  /** Negative debits. The same reference again changes nothing. Undefined when there is no such account. */
  credit(uuid: string, amount: Money, unixMs: number, reference?: string): Promise<AccountRecord | undefined> {
    return this.#database.write(() => {
      const account = this.#find.get(uuid)
      if (account === undefined) return undefined
      this.#ledger.creditNow(account.uuid, amount, unixMs, reference)
      return this.#mustFind(account.uuid)
    })
  }

  /** What moved the balance, newest first. */
  async statement(uuid: string, { limit, offset }: PageRange): Promise<Statement> {
    return this.#ledger.statement(uuid as AccountUuid, limit, offset)
  }

  #mustFind(uuid: AccountUuid): AccountRecord {
    const row = this.#find.get(uuid)
    if (row === undefined) throw new Error(`account ${uuid} is gone`)
    return this.#recordOf(row)
  }

  #recordOf(row: Row<'accounts'>): AccountRecord {
    return { ...recordOf(row), quotas: this.#quotas.limits(row), usage: this.#quotas.usage(row, Date.now()) }
  }
}

type QuotaColumn = `max_${(typeof quotas)[QuotaName]['field']}`

/** Only those that are named. */
const quotaColumns = ({
  quotas: wanted = {},
}: Pick<NewAccount, 'quotas'>): { [column in QuotaColumn]?: number | null } =>
  Object.fromEntries(
    (Object.keys(quotas) as QuotaName[]).flatMap(name => {
      const limit = wanted[name]
      return limit === undefined ? [] : [[`max_${quotas[name].field}`, limit] as const]
    }),
  )

const recordOf = (row: Row<'accounts'>): Omit<AccountRecord, 'quotas' | 'usage'> => ({
  uuid: row.uuid,
  name: row.name,
  status: row.status,
  walletBalance: row.balance,
  heldAmount: row.held,
  graceAmount: row.grace_amount,
  creditLimit: row.credit_limit,
  maxConcurrentCalls: row.max_concurrent_calls,
  maxCallsPerSecond: row.max_calls_per_second,
  maxInboundCalls: row.max_inbound_calls,
  maxDialledLegs: row.max_dialled_legs,
  createdUnix: row.created_unix,
})
