import type { Money } from '../model/money.ts'
import type { Rate } from '../model/rate.ts'
import { admissionAmount, billedSecondsFor, chargeFor, paidSecondsOf } from './charge.ts'

/** How far ahead of the last paid second the hold is grown, and how early the warning tone comes. */
const growthLeadSeconds = 15
const warningLeadSeconds = 10
/** What one growth tries to buy, largest first: each refusal tries the next. Rounded up to whole increments. */
const growthSteps: readonly number[] = [60, 20, 5, 1]

/** What a leg's hold pays for. */
export interface Coverage {
  /** What the hold holds in all. */
  readonly amount: Money
  /** The leg must end at this second of talk unless the hold grows first; Infinity = a rate without minutes' price. */
  readonly paidSeconds: number
}

export interface Growth extends Coverage {
  /** What `hold.grow` adds. May be 0 where the rounding of a tiny rate makes an increment free. */
  readonly add: Money
}

/** The hold that admission opens. */
export function openingCoverage(rate: Rate): Coverage {
  const amount = admissionAmount(rate)
  return { amount, paidSeconds: paidSecondsOf(rate, amount) }
}

/** The second of talk at which the hold is to be grown; Infinity = never. Before the answer nothing is used up. */
export const growAtSecond = (coverage: Coverage): number => Math.max(0, coverage.paidSeconds - growthLeadSeconds)

/** The second of talk at which the tone says that the money ends, once growth was refused to its last step. */
export const warnAtSecond = (coverage: Coverage): number => Math.max(0, coverage.paidSeconds - warningLeadSeconds)

/**
 * The next growth after `refusals` refusals in a row (0 = the first try); undefined when not even one more increment
 * can be paid for: the leg is cut at `coverage.paidSeconds`, its last paid second.
 */
export function nextGrowth(rate: Rate, coverage: Coverage, refusals: number): Growth | undefined {
  if (coverage.paidSeconds === Number.POSITIVE_INFINITY) return undefined
  const reaches = [...new Set(growthSteps.map(step => billedSecondsFor(rate, coverage.paidSeconds + step)))]
  const reach = reaches[refusals]
  if (reach === undefined) return undefined
  const amount = chargeFor(rate, reach)
  return { add: amount - coverage.amount, amount, paidSeconds: paidSecondsOf(rate, amount) }
}
