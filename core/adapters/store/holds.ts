import type { AccountUuid, CallUuid, HoldUuid, LegUuid } from '../../model/ids.ts'
import type { Money } from '../../model/money.ts'
import type { Rate } from '../../model/rate.ts'
import type { Hold } from '../../ports/store.ts'
import type { Database } from './database.ts'
import { StoreError } from './errors.ts'
import type { Ledger } from './ledger.ts'

export interface Settlement {
  readonly charge: Money
  readonly talkSeconds: number
  readonly billedSeconds: number
}

interface Kept {
  readonly account_uuid: AccountUuid
  readonly call_uuid: CallUuid
  readonly leg_uuid: LegUuid
  readonly amount: Money
  readonly rate_prefix: string
  readonly rate_direction: Rate['direction']
  readonly rate_per_minute: Money
  readonly increment_seconds: number
  readonly minimum_seconds: number
  readonly connection_fee: Money
}

/** The rate that a hold was opened with. */
export const rateOfHold = (row: Kept): Rate => ({
  prefix: row.rate_prefix,
  direction: row.rate_direction,
  ratePerMinute: row.rate_per_minute,
  incrementSeconds: row.increment_seconds,
  minimumSeconds: row.minimum_seconds,
  connectionFee: row.connection_fee,
})

function wholeAmount(amount: Money): Money {
  if (Number.isSafeInteger(amount) && amount >= 0) return amount
  throw new StoreError('store.misuse', `${amount} is no amount of 1/10000 KES to hold or to charge`)
}

/** Money set aside for live legs. Synchronous: for use inside a unit of work. */
export class Holds {
  readonly #ledger: Ledger
  readonly #reserve
  readonly #release
  readonly #insert
  readonly #grow
  readonly #find
  readonly #settle
  readonly #addCost

  constructor(database: Database, ledger: Ledger) {
    this.#ledger = ledger
    // Nothing can always be reserved: a free leg of an account in debt goes on.
    this.#reserve = database.prepare<{ account: AccountUuid; amount: Money }[]>(
      `UPDATE accounts SET held = held + @amount
        WHERE uuid = @account AND (@amount = 0 OR balance + grace_amount + credit_limit - held >= @amount)`,
    )
    this.#release = database.prepare<[Money, AccountUuid]>('UPDATE accounts SET held = held - ? WHERE uuid = ?')
    this.#insert = database.prepare<(string | number)[]>(
      `INSERT INTO holds (uuid, account_uuid, call_uuid, leg_uuid, amount, rate_prefix, rate_direction,
         rate_per_minute, increment_seconds, minimum_seconds, connection_fee, opened_unix)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#grow = database.prepare<[Money, HoldUuid], { account_uuid: AccountUuid }>(
      'UPDATE holds SET amount = amount + ? WHERE uuid = ? AND settled_unix IS NULL RETURNING account_uuid',
    )
    // Not one statement with RETURNING, for which SQLite would make a table in memory.
    this.#find = database.prepare<[HoldUuid], Kept & { readonly rowid: number; readonly settled_unix: number | null }>(
      `SELECT rowid, account_uuid, call_uuid, leg_uuid, amount, rate_prefix, rate_direction, rate_per_minute,
          increment_seconds, minimum_seconds, connection_fee, settled_unix FROM holds WHERE uuid = ?`,
    )
    this.#settle = database.prepare<[number, Money, number, number, number]>(
      'UPDATE holds SET settled_unix = ?, charge = ?, talk_seconds = ?, billed_seconds = ? WHERE rowid = ?',
    )
    this.#addCost = database.prepare<[Money, CallUuid]>('UPDATE calls SET cost = cost + ? WHERE uuid = ?')
  }

  /** False, and nothing changed, when spendable money is less than the amount. */
  open(hold: Hold, unixMs: number): boolean {
    const { accountUuid: account, rate } = hold
    if (this.#reserve.run({ account, amount: wholeAmount(hold.amount) }).changes === 0) return false
    this.#insert.run(
      hold.uuid,
      account,
      hold.callUuid,
      hold.legUuid,
      hold.amount,
      rate.prefix,
      rate.direction,
      rate.ratePerMinute,
      rate.incrementSeconds,
      rate.minimumSeconds,
      rate.connectionFee,
      unixMs,
    )
    return true
  }

  /** False when spendable money is less than the amount; the unit must be undone then. Throws for an ended hold. */
  grow(uuid: HoldUuid, amount: Money): boolean {
    const grown = this.#grow.get(wholeAmount(amount), uuid)
    if (grown === undefined) throw new StoreError('store.misuse', `there is no open hold ${uuid}`)
    return this.#reserve.run({ account: grown.account_uuid, amount }).changes === 1
  }

  /**
   * Ends the hold, once: frees what it held, posts the charge with the rate it was opened with, and adds it to the
   * call's cost. A hold that is ended already stays as it is.
   */
  settle(uuid: HoldUuid, { charge, talkSeconds, billedSeconds }: Settlement, unixMs: number): void {
    const ended = this.#find.get(uuid)
    if (ended === undefined) throw new StoreError('store.misuse', `there is no hold ${uuid}`)
    wholeAmount(charge)
    if (ended.settled_unix !== null) return
    this.#settle.run(unixMs, charge, talkSeconds, billedSeconds, ended.rowid)
    this.#release.run(ended.amount, ended.account_uuid)
    if (charge === 0) return
    this.#ledger.post({
      kind: 'call',
      account: ended.account_uuid,
      amount: 0 - charge,
      against: 'revenue:calls',
      hold: uuid,
      call: ended.call_uuid,
      details: { leg: ended.leg_uuid, rate: rateOfHold(ended), talkSeconds, billedSeconds },
      unixMs,
    })
    if (this.#addCost.run(charge, ended.call_uuid).changes === 0) {
      throw new StoreError('store.misuse', `hold ${uuid} is for call ${ended.call_uuid}, which is not there`)
    }
  }
}
