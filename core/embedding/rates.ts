import type { Repositories } from '../adapters/store/repositories.ts'
import { formatMoney } from '../model/money.ts'
import { amountOf } from './amount.ts'
import { SwitchError } from './errors.ts'

/** A row of the rate deck; the longest prefix that fits a number wins. Money is decimal KES. */
export interface Rate {
  /** `+254`. */
  readonly prefix: string
  /** Default `outbound`. */
  readonly direction?: 'outbound' | 'inbound'
  readonly perMinute: string
  /** Talk time is billed in whole increments. Default 60. */
  readonly incrementSeconds?: number
  /** Default 0. */
  readonly minimumSeconds?: number
  /** Default `0`. */
  readonly connectionFee?: string
}

/** As the operator API takes it: digits of E.164, or where a `<Sip>` leads. */
const ratePrefix = /^(\+?\d{1,15}|sip:(([A-Za-z0-9_][A-Za-z0-9_.-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?)?)$/

/** The rate deck, as `/operator/rates` has it. */
export class Rates {
  readonly #rows: Repositories['rates']

  /** @internal */
  constructor(rows: Repositories['rates']) {
    this.#rows = rows
  }

  async list(): Promise<readonly Required<Rate>[]> {
    return this.#rows.current().map(({ ratePerMinute, connectionFee, ...rest }) => ({
      ...rest,
      perMinute: formatMoney(ratePerMinute),
      connectionFee: formatMoney(connectionFee),
    }))
  }

  /** Replaces the whole deck. Throws `rate.invalid`, `money.invalid`; then nothing has changed. */
  async replace(rates: readonly Rate[]): Promise<void> {
    const wrong = rates.find(rate => !ratePrefix.test(rate.prefix))
    if (wrong !== undefined)
      throw new SwitchError(
        'rate.invalid',
        `"${wrong.prefix}" is no prefix: write + and 1 to 15 digits, as +254, or sip: and a host`,
      )
    return this.#rows.replace(
      rates.map(rate => ({
        prefix: rate.prefix,
        direction: rate.direction ?? 'outbound',
        ratePerMinute: amountOf(rate.perMinute, `perMinute of ${rate.prefix}`),
        incrementSeconds: rate.incrementSeconds ?? 60,
        minimumSeconds: rate.minimumSeconds ?? 0,
        connectionFee: amountOf(rate.connectionFee ?? '0', `connectionFee of ${rate.prefix}`),
      })),
    )
  }
}
