import type { HoldDump } from '../model/call-dump.ts'
import type { LegRecord } from '../model/call-record.ts'
import type { EndReason } from '../model/end-reason.ts'
import type { Rate } from '../model/rate.ts'
import type { Change } from '../ports/store.ts'
import type { CallHost } from './call-host.ts'
import type { Leg } from './leg.ts'
import { Meter, type MeterAlarms } from './meter.ts'

/** A leg with its money: what its answer and its end mean for its row and its hold. */
export class BilledLeg {
  readonly leg: Leg
  readonly #meter: Meter | undefined

  /** Without a rate it costs nothing. */
  constructor(host: CallHost, leg: Leg, rate: Rate | undefined, alarms: MeterAlarms) {
    this.leg = leg
    this.#meter = rate === undefined ? undefined : new Meter(host, leg, rate, alarms)
  }

  /** What reserves the first amount; it belongs into the unit that begins the leg. */
  holding(): readonly Change[] {
    return this.#meter === undefined ? [] : [this.#meter.opening()]
  }

  /** Undefined: it costs nothing. */
  get hold(): HoldDump | undefined {
    return this.#meter?.dump
  }

  /** End of the last paid second of a leg that was answered: it ends there at the latest. */
  get paidUntilUnix(): number | undefined {
    return this.#meter?.paidUntilUnix
  }

  /** Talk runs from now on. */
  answered(answeredUnix: number): Change {
    this.leg.answeredUnix = answeredUnix
    this.#meter?.answered()
    return { type: 'leg.update', uuid: this.leg.uuid, set: { answeredUnix } }
  }

  /** Closes the row, and charges what was talked. `more`: what else of the row changes. */
  closing(endedUnix: number, reasonCode: EndReason | '', more: Partial<LegRecord> = {}): readonly Change[] {
    // The answer again: its own unit may have been refused by a database that failed.
    const { uuid, answeredUnix = null } = this.leg
    const row: Change[] = [{ type: 'leg.update', uuid, set: { answeredUnix, endedUnix, reasonCode, ...more } }]
    return this.#meter === undefined ? row : row.concat(this.#meter.settle(endedUnix))
  }
}
