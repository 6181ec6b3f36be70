import type { Rate } from '../model/rate.ts'
import { PrefixTable } from './prefix.ts'
import { isSipPrefix, longestSipPrefix, type SipPlace } from './sip-prefix.ts'

/** The whole deck; another takes its place whenever it changes. */
export class RateDeck {
  readonly #tables: Readonly<Record<Rate['direction'], PrefixTable<Rate>>> = {
    outbound: new PrefixTable(),
    inbound: new PrefixTable(),
  }
  readonly #sip = new Map<string, Rate>()

  constructor(rates: Iterable<Rate> = []) {
    for (const rate of rates) this.add(rate)
  }

  /** Before the deck is in use: a long one is built in several turns of the event loop. */
  add(rate: Rate): void {
    const { direction, prefix } = rate
    if (!isSipPrefix(prefix)) this.#tables[direction].add(prefix, rate)
    else if (direction === 'outbound') this.#sip.set(prefix, rate)
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
