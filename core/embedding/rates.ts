import type { Repositories } from '../adapters/store/repositories.ts'
import { formatMoney } from '../model/money.ts'
import { amountOf } from './amount.ts'

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

  /** Replaces the whole deck. */
  replace(rates: readonly Rate[]): Promise<void> {
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
