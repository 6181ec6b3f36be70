import type { Repositories } from '../adapters/store/repositories.ts'
import type { AccountRecord } from '../model/account-record.ts'
import type { Page } from '../model/list.ts'
import { formatMoney } from '../model/money.ts'
import { amountOf, optionalAmount } from './amount.ts'
import { SwitchError } from './errors.ts'
import { type NamesOf, refuseUnknown } from './known-options.ts'

/** A customer with its wallet. Money is decimal KES. */
export interface Account {
  readonly uuid: string
  readonly name: string
  readonly status: 'active' | 'suspended'
  readonly balance: string
  /** Reserved for live calls. */
  readonly held: string
  readonly grace: string
  readonly creditLimit: string
  readonly maxConcurrentCalls: number
  readonly maxCallsPerSecond: number
  /** Live inbound calls, on-net ones included. */
  readonly maxInboundCalls: number
  /** Live legs that Dial opened. */
  readonly maxDialledLegs: number
  readonly createdAt: Date
}

/** What can be set of an account. Defaults: 50 calls placed at once, 10 a second, 100 inbound, 200 dialled legs, no grace, no credit. */
export interface AccountFields {
  readonly name?: string
  readonly grace?: string
  readonly creditLimit?: string
  readonly maxConcurrentCalls?: number
  readonly maxCallsPerSecond?: number
  readonly maxInboundCalls?: number
  readonly maxDialledLegs?: number
}

const fieldsOfAccount: NamesOf<AccountFields> = {
  name: true,
  grace: true,
  creditLimit: true,
  maxConcurrentCalls: true,
  maxCallsPerSecond: true,
  maxInboundCalls: true,
  maxDialledLegs: true,
}

/** Part of a list. */
export interface Range {
  /** Rows at most. Default 50. */
  readonly limit?: number
  /** Rows to skip. Default 0. */
  readonly offset?: number
}

export const rangeOf = ({ limit = 50, offset = 0 }: Range) => ({ limit, offset })

/** Accounts, as `/operator/accounts` has them. */
export class Accounts {
  readonly #rows: Repositories['accounts']
  readonly #unixMs: () => number

  /** @internal */
  constructor(rows: Repositories['accounts'], unixMs: () => number) {
    this.#rows = rows
    this.#unixMs = unixMs
  }

  /** Makes an account with its first API key; `key` is shown only here. `balance` default `0`. */
  async create(
    fields: AccountFields & { readonly name: string; readonly balance?: string },
  ): Promise<{ account: Account; key: string }> {
    refuseUnknown('accounts.create', fields, { ...fieldsOfAccount, balance: true })
    const walletBalance = optionalAmount(fields.balance, 'balance')
    const { account, key } = await this.#rows.create(
      { ...rowOf(fields), name: fields.name, walletBalance },
      this.#unixMs(),
    )
    return { account: accountOf(account), key }
  }

  /** Undefined when there is no such account. */
  async get(uuid: string): Promise<Account | undefined> {
    const row = await this.#rows.get(uuid)
    return row === undefined ? undefined : accountOf(row)
  }

  /** Newest first. */
  async list(range: Range = {}): Promise<Page<Account>> {
    const { rows, total } = await this.#rows.list(rangeOf(range))
    return { rows: rows.map(accountOf), total }
  }

  /** Changes what is given. Throws `not-found`. */
  async update(uuid: string, fields: AccountFields & { readonly status?: 'active' | 'suspended' }): Promise<Account> {
    refuseUnknown('accounts.update', fields, { ...fieldsOfAccount, status: true })
    const { name, status } = fields
    return this.#found(uuid, await this.#rows.change(uuid, { ...rowOf(fields), name, status }))
  }

  /** Adds to the wallet, or takes from it when the amount is negative. The same reference again changes nothing. Throws `not-found`. */
  async credit(uuid: string, amount: string, reference?: string): Promise<Account> {
    return this.#found(uuid, await this.#rows.credit(uuid, amountOf(amount, 'amount'), this.#unixMs(), reference))
  }

  #found(uuid: string, row: AccountRecord | undefined): Account {
    if (row === undefined) throw new SwitchError('not-found', `there is no account ${uuid}`)
    return accountOf(row)
  }
}

const rowOf = (fields: AccountFields) => ({
  graceAmount: optionalAmount(fields.grace, 'grace'),
  creditLimit: optionalAmount(fields.creditLimit, 'creditLimit'),
  maxConcurrentCalls: fields.maxConcurrentCalls,
  maxCallsPerSecond: fields.maxCallsPerSecond,
  maxInboundCalls: fields.maxInboundCalls,
  maxDialledLegs: fields.maxDialledLegs,
})

const accountOf = (row: AccountRecord): Account => ({
  uuid: row.uuid,
  name: row.name,
  status: row.status,
  balance: formatMoney(row.walletBalance),
  held: formatMoney(row.heldAmount),
  grace: formatMoney(row.graceAmount),
  creditLimit: formatMoney(row.creditLimit),
  maxConcurrentCalls: row.maxConcurrentCalls,
  maxCallsPerSecond: row.maxCallsPerSecond,
  maxInboundCalls: row.maxInboundCalls,
  maxDialledLegs: row.maxDialledLegs,
  createdAt: new Date(row.createdUnix),
})
