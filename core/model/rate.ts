import type { Money } from './money.ts'

/** One row of the rate deck. The longest prefix that fits the E.164 number wins. */
export interface Rate {
  readonly prefix: string
  readonly direction: 'outbound' | 'inbound'
  readonly ratePerMinute: Money
  /** Talk time is billed in whole increments. */
  readonly incrementSeconds: number
  readonly minimumSeconds: number
  readonly connectionFee: Money
}
