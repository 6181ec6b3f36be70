import type { Trunk } from '../model/trunk.ts'
import { longestPrefix } from './e164.ts'

/**
 * The trunks that reach a number, in the order in which they are tried: longest prefix, then priority (lower first),
 * then weight, drawn without replacement so that each trunk of a group is somewhere in the list.
 * `random` gives numbers in [0, 1).
 */
export function routesTo(number: string, trunks: readonly Trunk[], random: () => number): readonly Trunk[] {
  const fitting: Fitting[] = []
  for (const trunk of trunks) {
    const length = longestPrefix(number, trunk.prefixes)
    if (length !== undefined) fitting.push({ trunk, length })
  }
  fitting.sort(byRank)
  for (let from = 0; from < fitting.length; ) {
    let to = from + 1
    while (to < fitting.length && byRank(fitting[from]!, fitting[to]!) === 0) to++
    drawOrder(fitting, from, to, random)
    from = to
  }
  return fitting.map(({ trunk }) => trunk)
}

interface Fitting {
  readonly trunk: Trunk
  /** Of its prefix that fits. */
  readonly length: number
}

const byRank = (one: Fitting, other: Fitting): number =>
  other.length - one.length || one.trunk.priority - other.trunk.priority

/** Puts those of one rank in weighted order; a weight of 0 or less is tried only after the others. */
function drawOrder(fitting: Fitting[], from: number, to: number, random: () => number): void {
  for (let at = from; at < to; at++) {
    let total = 0
    for (let each = at; each < to; each++) total += Math.max(0, fitting[each]!.trunk.weight)
    let point = random() * total
    let drawn = at
    for (let each = at; each < to; each++) {
      point -= Math.max(0, fitting[each]!.trunk.weight)
      if (point < 0) {
        drawn = each
        break
      }
    }
    const next = fitting[drawn]!
    fitting.copyWithin(at + 1, at, drawn)
    fitting[at] = next
  }
}

/** The number in the trunk's form: `strip` characters off the front of the E.164 number, then `prepend` before it. */
export const numberForTrunk = (number: string, trunk: Trunk): string => trunk.prepend + number.slice(trunk.strip)
