import type { Rate } from '../model/rate.ts'
import { PrefixTable } from './prefix.ts'
import { isSipPrefix, longestSipPrefix, type SipPlace } from './sip-prefix.ts'

/** The whole deck, built once whenever it changes. */
export class RateDeck {
  readonly #tables: Readonly<Record<Rate['direction'], PrefixTable<Rate>>>
  readonly #sip: ReadonlyMap<string, Rate>

  constructor(rates: readonly Rate[]) {
    const of = (direction: Rate['direction']) =>
      new PrefixTable(
        rates
          .filter(rate => rate.direction === direction && !isSipPrefix(rate.prefix))
          .map(rate => [rate.prefix, rate] as const),
      )
    this.#tables = { outbound: of('outbound'), inbound: of('inbound') }
    this.#sip = new Map(
      rates.filter(rate => rate.direction === 'outbound' && isSipPrefix(rate.prefix)).map(rate => [rate.prefix, rate]),
    )
  }

  /** The longest prefix wins. Outbound without a rate is refused (BILL.0404), inbound without a rate is free. */
  find(direction: Rate['direction'], e164: string): Rate | undefined {
    return this.#tables[direction].longest(e164)
  }

  /** Rate of a call to an external SIP server. Without a rate it is free. */
  findSip(place: SipPlace): Rate | undefined {
    return longestSipPrefix(place, prefix => this.#sip.get(prefix))
  }
}
