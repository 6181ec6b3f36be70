import { billedSecondsFor, chargeFor, secondsBetween } from '../billing/charge.ts'
import { type Coverage, growAtSecond, nextGrowth, openingCoverage, warnAtSecond } from '../billing/hold-schedule.ts'
import { chargeData } from '../events/charge-data.ts'
import type { HoldDump } from '../model/call-dump.ts'
import type { HoldUuid } from '../model/ids.ts'
import type { Rate } from '../model/rate.ts'
import type { Change, CommitResult, Hold } from '../ports/store.ts'
import type { CallHost } from './call-host.ts'
import type { Leg } from './leg.ts'

/** So often is money asked for again once the warning was played: the wallet may be topped up until the cut. */
const askAgainMs = 1000

/**
 * - `quiet`: not answered, or paid for long enough
 * - `asking`: a growth is on its way to the ledger
 * - `exhausted`: refused; warned of, then cut
 * - `settled`
 */
type MeterState = 'quiet' | 'asking' | 'exhausted' | 'settled'

export interface MeterAlarms {
  /** The money will not last: once, when a growth is refused for the first time. */
  low(secondsLeft: number): void
  /** Some seconds before the cut. */
  warn(): void
  /** The last paid second is over. */
  cut(): void
}

/** The money of one rated leg: a hold that grows ahead of the talk, and is settled once. */
export class Meter {
  readonly #host: CallHost
  readonly #leg: Leg
  readonly #rate: Rate
  readonly #alarms: MeterAlarms
  readonly #uuid: HoldUuid
  #coverage: Coverage
  #state: MeterState = 'quiet'
  #answeredAt = 0
  #hasWarned = false
  #wasLow = false
  #isCut = false

  constructor(host: CallHost, leg: Leg, rate: Rate, alarms: MeterAlarms) {
    this.#host = host
    this.#leg = leg
    this.#rate = rate
    this.#alarms = alarms
    this.#uuid = host.env.uuid() as HoldUuid
    this.#coverage = openingCoverage(rate)
  }

  /** The change that reserves the first amount; it belongs into the unit that begins the leg. */
  opening(): Change {
    const hold: Hold = {
      uuid: this.#uuid,
      accountUuid: this.#host.record.accountUuid,
      callUuid: this.#host.callId,
      legUuid: this.#leg.uuid,
      rate: this.#rate,
      amount: this.#coverage.amount,
    }
    return { type: 'hold.open', hold }
  }

  /** Its hold, for support. */
  get dump(): HoldDump {
    const { answeredUnix } = this.#leg
    return {
      uuid: this.#uuid,
      legUuid: this.#leg.uuid,
      state: this.#state,
      amount: this.#coverage.amount,
      paidSeconds: this.#coverage.paidSeconds,
      talkSeconds: answeredUnix === undefined ? undefined : secondsBetween(answeredUnix, this.#host.unix()),
      ratePrefix: this.#rate.prefix,
    }
  }

  /** Talk runs from now on. */
  answered(): void {
    this.#answeredAt = this.#host.now()
    this.#plan()
  }

  /**
   * End of the last paid second, for a leg that was answered: it ends there at the latest. The timer that cuts it fires a
   * moment later, never before; we absorb the difference.
   */
  get paidUntilUnix(): number | undefined {
    const { answeredUnix } = this.#leg
    return answeredUnix === undefined ? undefined : answeredUnix + this.#coverage.paidSeconds * 1000
  }

  /** Ends the hold: what was talked is charged, the rest is free again. `endedUnix` is when the leg ended. */
  settle(endedUnix: number): readonly Change[] {
    if (this.#state === 'settled') return []
    const { answeredUnix } = this.#leg
    const talked = answeredUnix === undefined ? 0 : secondsBetween(answeredUnix, endedUnix)
    const talkSeconds = Math.min(talked, this.#coverage.paidSeconds)
    this.#state = 'settled'
    this.#clear()
    const charge = chargeFor(this.#rate, talkSeconds)
    const billedSeconds = billedSecondsFor(this.#rate, talkSeconds)
    const settled: Change = { type: 'hold.settle', uuid: this.#uuid, charge, talkSeconds, billedSeconds }
    if (charge === 0) return [settled]
    this.#host.addCost(charge)
    const { uuid: legUuid, number } = this.#leg
    const data = chargeData({ legUuid, number, rate: this.#rate, talkSeconds, billedSeconds, charge })
    return [settled, this.#host.event('BILL.0200', data)]
  }

  #atSecond(second: number): number {
    return this.#answeredAt + second * 1000
  }

  #plan(): void {
    const second = growAtSecond(this.#coverage)
    if (second === Number.POSITIVE_INFINITY) return
    this.#host.timers.set(`meter:${this.#uuid}:grow`, this.#atSecond(second), () => this.#grow(0))
  }

  /** Asks for more; after each refusal for less, until not even one increment can be had. */
  #grow(refusals: number): void {
    if (this.#state === 'asking' || this.#state === 'settled' || this.#isCut) return
    const growth = nextGrowth(this.#rate, this.#coverage, refusals)
    if (growth === undefined) {
      this.#exhaust()
      return
    }
    this.#state = 'asking'
    // A ledger that does not answer in time has given nothing.
    this.#cutAtEnd()
    const isLate = () => this.#state === 'settled' || this.#isCut
    const answered = (result: CommitResult) => {
      if (isLate()) return
      this.#state = 'quiet'
      if (!result.ok) {
        this.#grow(refusals + 1)
        return
      }
      this.#coverage = growth
      this.#hasWarned = false
      this.#clear()
      this.#plan()
    }
    // What is paid for is talked, and a database that fails now may be back until then.
    const failed = () => {
      if (isLate()) return
      this.#state = 'quiet'
      this.#host.timers.set(`meter:${this.#uuid}:ask`, this.#host.now() + askAgainMs, () => this.#grow(refusals))
    }
    this.#host.ask([{ type: 'hold.grow', uuid: this.#uuid, amount: growth.add }], answered, failed)
  }

  #exhaust(): void {
    this.#state = 'exhausted'
    const { timers } = this.#host
    this.#cutAtEnd()
    if (!this.#wasLow) {
      this.#wasLow = true
      this.#alarms.low(Math.max(0, Math.round((this.#atSecond(this.#coverage.paidSeconds) - this.#host.now()) / 1000)))
    }
    if (this.#hasWarned) {
      timers.set(`meter:${this.#uuid}:ask`, this.#host.now() + askAgainMs, () => this.#grow(0))
      return
    }
    timers.set(`meter:${this.#uuid}:warn`, this.#atSecond(warnAtSecond(this.#coverage)), () => {
      this.#hasWarned = true
      this.#alarms.warn()
      this.#grow(0)
    })
  }

  #cutAtEnd(): void {
    this.#host.timers.set(`meter:${this.#uuid}:cut`, this.#atSecond(this.#coverage.paidSeconds), () => {
      this.#isCut = true
      this.#alarms.cut()
    })
  }

  #clear(): void {
    this.#host.timers.clearAll(`meter:${this.#uuid}:`)
  }
}
