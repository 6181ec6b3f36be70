import type { AccountProfile } from '../model/account.ts'
import type { AccountLoads } from './account-loads.ts'
import type { CallSlots, Place } from './caps.ts'

/** How long a leg that leaves the switch waits for its turn. */
const patienceMs = 1000

/** Whose account is known once it has been opened. */
interface DiallingCall {
  readonly opening: { readonly account: AccountProfile } | undefined
}

/** What the Dials of a call may open, within the caps of its account (docs/errors.md, "Caps of an account"). */
export class DialCaps {
  readonly #loads: AccountLoads
  readonly #places: CallSlots
  readonly #call: DiallingCall

  constructor(loads: AccountLoads, places: CallSlots, call: DiallingCall) {
    this.#loads = loads
    this.#places = places
    this.#call = call
  }

  get #account(): AccountProfile | undefined {
    return this.#call.opening?.account
  }

  /** Room for one more leg; undefined when the account has as many as it may have (END.4429). */
  takeLeg(now: number): Place | undefined {
    const account = this.#account
    if (account === undefined) return undefined
    const place = this.#places.take(this.#loads.dialled, account.uuid, now, account.maxDialledLegs)
    return typeof place === 'string' ? undefined : place
  }

  /** When the next leg that leaves the switch may begin; undefined when that is more than a second away (END.4430). */
  takeTurn(now: number): number | undefined {
    const account = this.#account
    return account && this.#loads.starts.take(account.uuid, account.maxCallsPerSecond, now, patienceMs)
  }

  giveTurnBack(at: number): void {
    const account = this.#account
    if (account !== undefined) this.#loads.starts.giveBack(account.uuid, at)
  }
}
