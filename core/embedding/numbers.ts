import type { Repositories } from '../adapters/store/repositories.ts'
import { assertNever } from '../model/assert-never.ts'
import type { AccountUuid } from '../model/ids.ts'
import type { Page } from '../model/list.ts'
import { formatMoney } from '../model/money.ts'
import type { NumberRecord } from '../model/number-record.ts'
import { isE164 } from '../routing/e164.ts'
import { type Range, rangeOf } from './accounts.ts'
import { optionalAmount } from './amount.ts'
import { SwitchError } from './errors.ts'

/** A number of the switch; without an account it is in the pool. */
export interface PhoneNumber {
  readonly uuid: string
  /** E.164. */
  readonly number: string
  /** Decimal KES. */
  readonly setupFee: string
  /** The owner's uuid. */
  readonly account: string | undefined
}

/** A number as its owner has set it up. An empty URL inherits the account's. */
export interface OwnedNumber {
  readonly uuid: string
  readonly number: string
  readonly label: string
  readonly isActive: boolean
  readonly webhooks: { readonly inbound: string; readonly outbound: string; readonly status: string }
}

/** Numbers, as `/operator/numbers` and `/numbers` have them. */
export class Numbers {
  readonly #rows: Repositories['numbers']
  readonly #accounts: Repositories['accounts']
  readonly #unixMs: () => number

  /** @internal */
  constructor(rows: Repositories['numbers'], accounts: Repositories['accounts'], unixMs: () => number) {
    this.#rows = rows
    this.#accounts = accounts
    this.#unixMs = unixMs
  }

  /**
   * Adds a number to the pool, and with `account` gives it to that account at once. Throws `number.invalid`, `not-found`
   * (the account), `exists`, `insufficient-funds`.
   */
  async add(
    number: string,
    options: { readonly setupFee?: string; readonly account?: string } = {},
  ): Promise<PhoneNumber> {
    const fee = optionalAmount(options.setupFee, 'setupFee') ?? 0
    if (!isE164(number))
      throw new SwitchError('number.invalid', `"${number}" is no E.164 number: write + and 7 to 15 digits`)
    if (options.account !== undefined) await this.#requireAccount(options.account)
    const added = await this.#rows.add(number, fee, this.#unixMs())
    if (added === undefined) throw new SwitchError('exists', `${number} is a number of this switch already`)
    if (options.account !== undefined) await this.acquire(options.account, number)
    return { uuid: added.uuid, number, setupFee: formatMoney(added.setupFee), account: options.account }
  }

  /** All numbers, by number. */
  async list(range: Range = {}): Promise<Page<PhoneNumber>> {
    const { rows, total } = await this.#rows.list(rangeOf(range))
    return {
      rows: rows.map(({ uuid, number, setupFee, accountUuid }) => ({
        uuid,
        number,
        setupFee: formatMoney(setupFee),
        account: accountUuid ?? undefined,
      })),
      total,
    }
  }

  /** Gives a number of the pool to an account, which pays its setup fee. Throws `not-found`, `owned`, `insufficient-funds`. */
  async acquire(account: string, number: string): Promise<OwnedNumber> {
    const uuid = (await this.#find(number)).uuid
    await this.#requireAccount(account)
    const acquired = await this.#rows.acquire(account as AccountUuid, uuid, this.#unixMs())
    if (acquired.ok) return ownedOf(acquired.number)
    switch (acquired.refused) {
      case 'unknown':
        throw new SwitchError('not-found', `there is no number ${number}`)
      case 'taken':
        throw new SwitchError('owned', `${number} belongs to an account already`)
      case 'insufficient-funds':
        throw new SwitchError('insufficient-funds', `the account cannot pay the setup fee of ${number}`)
      default:
        assertNever(acquired)
    }
  }

  /** Back to the pool. Throws `not-found` when the account does not own it. */
  async release(account: string, number: string): Promise<void> {
    const { uuid } = await this.#find(number)
    const released = await this.#rows.release(account as AccountUuid, uuid)
    if (released === undefined) throw new SwitchError('not-found', `the account does not own ${number}`)
  }

  /** Takes a number out of the pool. Throws `not-found`, `owned`. */
  async remove(number: string): Promise<void> {
    const { uuid } = await this.#find(number)
    if ((await this.#rows.remove(uuid)) === 'owned')
      throw new SwitchError('owned', `${number} belongs to an account; release it first`)
  }

  /** Numbers of an account, by number. */
  async owned(account: string): Promise<readonly OwnedNumber[]> {
    return (await this.#rows.owned(account as AccountUuid)).map(ownedOf)
  }

  async #requireAccount(uuid: string): Promise<void> {
    if ((await this.#accounts.get(uuid)) === undefined)
      throw new SwitchError('not-found', `there is no account ${uuid}`)
  }

  async #find(number: string): Promise<{ uuid: string }> {
    const pageSize = 500
    for (let offset = 0; ; offset += pageSize) {
      const { rows } = await this.#rows.list({ limit: pageSize, offset })
      const found = rows.find(row => row.number === number)
      if (found !== undefined) return found
      if (rows.length < pageSize) throw new SwitchError('not-found', `there is no number ${number}`)
    }
  }
}

const ownedOf = ({ uuid, number, friendlyName, isActive, webhookUrls }: NumberRecord): OwnedNumber => ({
  uuid,
  number,
  label: friendlyName,
  isActive,
  webhooks: { inbound: webhookUrls.voice_inbound, outbound: webhookUrls.voice_outbound, status: webhookUrls.status },
})
