import type { AccountUuid, CallUuid, HoldUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { LedgerKind } from './schema.ts'

/** The other side of a customer's entry. */
type OwnBook = 'revenue:calls' | 'revenue:numbers' | 'revenue:speech' | 'operator:credit'
type CustomerBook = `customer:${string}`

const customerBook = (account: AccountUuid): CustomerBook => `customer:${account}`

interface Posting {
  readonly kind: LedgerKind
  readonly account: AccountUuid
  /** What the customer gains (positive) or pays (negative). */
  readonly amount: Money
  readonly against: OwnBook
  /** What explains the amount. */
  readonly details: Readonly<Record<string, unknown>>
  readonly unixMs: number
  readonly reference?: string
  readonly hold?: HoldUuid
  readonly call?: CallUuid
}

/** One line of an account's statement. */
export interface StatementLine {
  readonly id: number
  readonly kind: LedgerKind
  readonly amount: Money
  readonly reference: string | null
  readonly callUuid: CallUuid | null
  readonly details: Readonly<Record<string, unknown>>
  readonly createdUnix: number
}

export interface Statement {
  readonly lines: readonly StatementLine[]
  readonly total: number
}

interface StatementRow {
  readonly id: number
  readonly kind: LedgerKind
  readonly amount: Money
  readonly reference: string | null
  readonly call_uuid: CallUuid | null
  readonly details: string
  readonly created_unix: number
}

/**
 * The double-entry book: a transaction's entries sum to 0, nothing is ever changed or taken out (triggers refuse it),
 * and an account's balance follows its entries by a trigger, in the same transaction.
 */
export class Ledger {
  readonly #database: Database
  readonly #insertTransaction
  readonly #insertEntry
  readonly #known
  readonly #affords
  readonly #lines
  readonly #count

  constructor(database: Database) {
    this.#database = database
    this.#insertTransaction = database.prepare<unknown[]>(
      `INSERT INTO ledger_transactions (kind, account_uuid, reference, hold_uuid, call_uuid, details, created_unix)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#insertEntry = database.prepare<[number | bigint, string, Money]>(
      'INSERT INTO ledger_entries (transaction_id, book, amount) VALUES (?, ?, ?)',
    )
    this.#known = database.prepare<[AccountUuid, string], { id: number }>(
      'SELECT id FROM ledger_transactions WHERE account_uuid = ? AND reference = ?',
    )
    this.#affords = database.prepare<[AccountUuid, Money], { 1: 1 }>(
      'SELECT 1 FROM accounts WHERE uuid = ? AND balance + grace_amount + credit_limit - held >= ?',
    )
    this.#lines = database.prepare<[string, AccountUuid, number, number], StatementRow>(
      `SELECT t.id, t.kind, e.amount, t.reference, t.call_uuid, t.details, t.created_unix
         FROM ledger_transactions t JOIN ledger_entries e ON e.transaction_id = t.id AND e.book = ?
        WHERE t.account_uuid = ? ORDER BY t.id DESC LIMIT ? OFFSET ?`,
    )
    this.#count = database.prepare<[AccountUuid], { total: number }>(
      'SELECT count(*) AS total FROM ledger_transactions WHERE account_uuid = ?',
    )
  }

  /** Posts a transaction of two entries. Synchronous: for use inside a unit of work. */
  post(posting: Posting): void {
    const { account, amount, against } = posting
    if (!Number.isSafeInteger(amount)) throw new StoreError('store.misuse', `${amount} is no amount of 1/10000 KES`)
    const { lastInsertRowid: transaction } = this.#insertTransaction.run(
      posting.kind,
      account,
      posting.reference ?? null,
      posting.hold ?? null,
      posting.call ?? null,
      JSON.stringify(posting.details),
      posting.unixMs,
    )
    this.#insertEntry.run(transaction, customerBook(account), amount)
    // 0 - amount and not -amount: SQLite would be handed a negative zero.
    this.#insertEntry.run(transaction, against, 0 - amount)
  }

  /**
   * Charges what the account can pay for; false, and nothing posted, when spendable money is less than `amount`.
   * Synchronous: for use inside a unit of work, beside the change that is paid for.
   */
  charge(posting: Omit<Posting, 'amount'> & { readonly price: Money }): boolean {
    const { price, ...rest } = posting
    if (price === 0) return true
    if (this.#affords.get(posting.account, price) === undefined) return false
    this.post({ ...rest, amount: 0 - price })
    return true
  }

  /**
   * Puts money into the wallet, or takes it out when `amount` is negative, whatever the balance. The same reference
   * again changes nothing and gives false. Synchronous: for use inside a unit of work.
   */
  creditNow(account: AccountUuid, amount: Money, unixMs: number, reference?: string): boolean {
    if (reference !== undefined && this.#known.get(account, reference) !== undefined) return false
    const given = reference === undefined ? {} : { reference }
    this.post({ kind: 'credit', account, amount, against: 'operator:credit', details: {}, unixMs, ...given })
    return true
  }

  /** As `creditNow`, in a unit of its own; durable once resolved. */
  credit(account: AccountUuid, amount: Money, unixMs: number, reference?: string): Promise<boolean> {
    return this.#database.write(() => this.creditNow(account, amount, unixMs, reference))
  }

  /** The account's transactions, newest first. */
  statement(account: AccountUuid, limit: number, offset: number): Promise<Statement> {
    const rows = this.#lines.all(customerBook(account), account, limit, offset)
    const lines = rows.map(row => ({
      id: row.id,
      kind: row.kind,
      amount: row.amount,
      reference: row.reference,
      callUuid: row.call_uuid,
      details: JSON.parse(row.details) as Readonly<Record<string, unknown>>,
      createdUnix: row.created_unix,
    }))
    return Promise.resolve({ lines, total: this.#count.get(account)?.total ?? 0 })
  }
}
