import { e164Of, formatMoney, longestSipPrefix, type Rate, readSipTarget } from '../../core/index.ts'
import type { SimulatedRate } from '../../core/testing/index.ts'

/** Once for each rate deck: outbound rates by their prefix. */
const known = new WeakMap<readonly Rate[], ReadonlyMap<string, Rate>>()

function byPrefix(deck: readonly Rate[]): ReadonlyMap<string, Rate> {
  const before = known.get(deck)
  if (before !== undefined) return before
  const found = new Map<string, Rate>()
  for (const rate of deck) {
    const { direction, prefix } = rate
    if (direction === 'outbound')
      found.set(prefix.startsWith('sip:') || prefix.startsWith('+') ? prefix : `+${prefix}`, rate)
  }
  known.set(deck, found)
  return found
}

/**
 * The rates of what documents name, as a simulation has them: a deck has tens of thousands, and to hand over all of them
 * takes the time of calls. Undefined: the deck has none at all.
 */
export function reachedRates(deck: readonly Rate[], named: readonly string[]): readonly SimulatedRate[] | undefined {
  const rates = byPrefix(deck)
  if (rates.size === 0) return undefined
  const reached = new Set<Rate>()
  for (const name of named) {
    const rate = /^sips?:/i.test(name) ? ofUri(rates, name) : ofNumber(rates, name)
    if (rate !== undefined) reached.add(rate)
  }
  return [...reached].map(({ prefix, ratePerMinute, incrementSeconds, minimumSeconds, connectionFee }) => ({
    prefix: prefix.startsWith('sip:') || prefix.startsWith('+') ? prefix : `+${prefix}`,
    perMinute: formatMoney(ratePerMinute),
    incrementSeconds,
    minimumSeconds,
    connectionFee: formatMoney(connectionFee),
  }))
}

function ofNumber(rates: ReadonlyMap<string, Rate>, written: string): Rate | undefined {
  const number = e164Of(written) ?? ''
  for (let length = number.length; length > 0; length--) {
    const rate = rates.get(number.slice(0, length))
    if (rate !== undefined) return rate
  }
  return undefined
}

function ofUri(rates: ReadonlyMap<string, Rate>, uri: string): Rate | undefined {
  const place = readSipTarget(uri, () => false)
  return place && longestSipPrefix(place, prefix => rates.get(prefix))
}
