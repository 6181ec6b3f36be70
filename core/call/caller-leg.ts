import type { Change } from '../ports/store.ts'
import type { EndReason } from './end-reason.ts'
import type { Leg } from './leg.ts'
import type { Meter } from './meter.ts'

/** The row and the money of a leg that came in: the call itself closes them, as a branch does for a leg it dials. */
export class CallerLeg {
  readonly #leg: Leg
  readonly #meter: Meter | undefined

  constructor(leg: Leg, meter: Meter | undefined) {
    this.#leg = leg
    this.#meter = meter
  }

  /** When the money was over, if that ended it. */
  get cutUnix(): number | undefined {
    return this.#meter?.cutUnix
  }

  /** 200 is going out: talk runs. */
  answering(answeredUnix: number): Change {
    this.#leg.answeredUnix = answeredUnix
    this.#meter?.answered()
    return { type: 'leg.update', uuid: this.#leg.uuid, set: { answeredUnix } }
  }

  ended(unixMs: number): void {
    this.#leg.endedUnix = unixMs
  }

  /** What its end means, for the call's last unit. */
  finalChanges(endedUnix: number, reasonCode: EndReason | ''): readonly Change[] {
    const row: Change = { type: 'leg.update', uuid: this.#leg.uuid, set: { endedUnix, reasonCode } }
    return [row, ...(this.#meter?.settle(endedUnix) ?? [])]
  }
}
