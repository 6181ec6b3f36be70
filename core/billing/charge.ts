import type { Money } from '../model/money.ts'
import type { Rate } from '../model/rate.ts'

const secondsPerMinute = 60

/** Whole seconds between two moments of the wall clock, begun ones included. */
export const secondsBetween = (fromUnix: number, toUnix: number): number =>
  Math.max(0, Math.ceil((toUnix - fromUnix) / 1000))

/** When a leg ended that was answered: what hangs up in the same moment has begun the first second. */
export const endOfTalk = (answeredUnix: number | null, endedUnix: number): number =>
  answeredUnix === null ? endedUnix : Math.max(endedUnix, answeredUnix + 1)

/**
 * Seconds that are billed for `talkSeconds` of talk: at least the minimum, in whole increments. 0 for a leg that was
 * never answered. Part seconds count as whole ones.
 */
export function billedSecondsFor(rate: Rate, talkSeconds: number): number {
  const talk = Math.ceil(talkSeconds)
  if (talk <= 0) return 0
  const floor = Math.max(talk, rate.minimumSeconds)
  return Math.ceil(floor / rate.incrementSeconds) * rate.incrementSeconds
}

/**
 * The price of billed seconds without the fee: rate × seconds / 60, rounded half up to 1/10000 KES, once, over the
 * whole time and never per increment. Whole minutes are taken apart first, so that no step leaves 2^53.
 */
function priceOf(rate: Rate, billedSeconds: number): Money {
  const minutes = Math.floor(billedSeconds / secondsPerMinute)
  const rest = billedSeconds % secondsPerMinute
  return minutes * rate.ratePerMinute + Math.floor((2 * rest * rate.ratePerMinute + secondsPerMinute) / 120)
}

/** The charge for a leg: fee and billed time when it was answered, else nothing. */
export function chargeFor(rate: Rate, talkSeconds: number): Money {
  const billed = billedSecondsFor(rate, talkSeconds)
  return billed === 0 ? 0 : rate.connectionFee + priceOf(rate, billed)
}

/** What must be spendable before a leg is placed: the fee and the minimum, or the first increment. */
export const admissionAmount = (rate: Rate): Money => chargeFor(rate, 1)

/** The spendable money admits a leg at this rate. A free leg needs none. */
export const isCovered = (rate: Rate, spendable: Money): boolean =>
  admissionAmount(rate) === 0 || spendable >= admissionAmount(rate)

/**
 * The last second that `amount` pays for, always the end of an increment; 0 when it does not pay for the first, and
 * Infinity for a rate without a price per minute.
 */
export function paidSecondsOf(rate: Rate, amount: Money): number {
  if (amount < admissionAmount(rate)) return 0
  if (rate.ratePerMinute === 0) return Number.POSITIVE_INFINITY
  // A first guess that cannot be more than one increment too long or too short, by the rounding of priceOf.
  const seconds = ((amount - rate.connectionFee) / rate.ratePerMinute) * secondsPerMinute
  const first = billedSecondsFor(rate, 1)
  let paid = Math.max(first, Math.floor(seconds / rate.incrementSeconds) * rate.incrementSeconds)
  while (chargeFor(rate, paid + rate.incrementSeconds) <= amount) paid += rate.incrementSeconds
  while (paid > first && chargeFor(rate, paid) > amount) paid -= rate.incrementSeconds
  return paid
}
