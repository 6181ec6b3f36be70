import { type OriginateRefusal, type OriginateResult, refusedBy } from '../contract/originate-order.ts'
import type { CallRecord } from '../model/call-record.ts'

/**
 * - `admitting`: its rules are looked at, and nothing is written
 * - `storing`: its rows are on their way to the database, and their fate is the answer
 * - `answered`: the API has its answer
 */
type OriginateState = 'admitting' | 'storing' | 'answered'

export type OriginateInput =
  /** Its rows are given to the database. */
  | 'store'
  /** They are durable. */
  | 'stored'
  /** By a rule, or by the ledger. */
  | 'refused'
  /** The call has ended. */
  | 'ended'
  | 'database-failed'

/** The answer goes out with the step into `answered`. A missing cell means: absorb. */
export const originateTable: Readonly<
  Record<OriginateState, Readonly<Partial<Record<OriginateInput, OriginateState>>>>
> = {
  admitting: { store: 'storing', refused: 'answered', ended: 'answered', 'database-failed': 'answered' },
  storing: { stored: 'answered', refused: 'answered', 'database-failed': 'answered' },
  answered: {},
}

/** The one answer to a call placed by API. */
export class OriginateAnswer {
  readonly #reply: (result: OriginateResult) => void
  #state: OriginateState = 'admitting'

  constructor(reply: (result: OriginateResult) => void) {
    this.#reply = reply
  }

  storing(): void {
    this.#step('store')
  }

  stored(call: CallRecord): void {
    this.#give('stored', { ok: true, call })
  }

  refused(refusal: OriginateRefusal): void {
    this.#give('refused', refusal)
  }

  ended(): void {
    this.#give('ended', refusedBy('END.5503', 'the switch is draining'))
  }

  databaseFailed(): void {
    this.#give('database-failed', refusedBy('END.5500', 'the database failed: try again'))
  }

  #give(input: OriginateInput, result: OriginateResult): void {
    if (this.#step(input)) this.#reply(result)
  }

  /** False: not allowed in this state, and nothing changed. */
  #step(input: OriginateInput): boolean {
    const next = originateTable[this.#state][input]
    if (next === undefined) return false
    this.#state = next
    return true
  }
}
