import { Allowance } from '../caps/allowance.ts'
import { eventCatalogue } from '../events/catalogue.ts'
import type { Change } from '../ports/store.ts'

/** Events of a call that are written at once, and after that each second, beside those that status callbacks carry. */
const [eventsAtOnce, eventsPerSecond] = [200, 10]

/** An event for which no callback is sent: what is wrong in a document, a digit. What a `status` webhook gets is always written. */
const isOptional = (change: Change): boolean =>
  change.type === 'event.append' && !eventCatalogue[change.event.code].callback

/**
 * How many events a call may write. A document can name a thousand sounds that cannot be played, and a remote can send
 * digits as fast as its network carries them: each event is a row, which the calls of others wait for.
 */
export class EventBudget {
  /** Made for the first of them. */
  #allowance: Allowance | undefined
  #omitted = 0

  /** Events that were left out. */
  get omitted(): number {
    return this.#omitted
  }

  /** What of a unit is written. */
  admit(unit: readonly Change[], now: number): readonly Change[] {
    return unit.some(isOptional) ? this.#spared(unit, now) : unit
  }

  #spared(unit: readonly Change[], now: number): readonly Change[] {
    this.#allowance ??= new Allowance(eventsAtOnce, eventsPerSecond)
    const allowance = this.#allowance
    return unit.filter(change => {
      if (!isOptional(change) || allowance.take(now)) return true
      this.#omitted++
      return false
    })
  }
}
