import type { Rate } from '../model/rate.ts'
import { PrefixTable } from './prefix.ts'

/** The whole deck, built once whenever it changes. */
export class RateDeck {
  readonly #tables: Readonly<Record<Rate['direction'], PrefixTable<Rate>>>

  constructor(rates: readonly Rate[]) {
    const of = (direction: Rate['direction']) =>
      new PrefixTable(rates.filter(rate => rate.direction === direction).map(rate => [rate.prefix, rate] as const))
    this.#tables = { outbound: of('outbound'), inbound: of('inbound') }
  }

  /** The longest prefix wins. Outbound without a rate is refused (BILL.0404), inbound without a rate is free. */
  find(direction: Rate['direction'], e164: string): Rate | undefined {
    return this.#tables[direction].longest(e164)
  }
}
