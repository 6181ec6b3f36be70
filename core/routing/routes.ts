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
  const order: Trunk[] = []
  for (let from = 0; from < fitting.length; ) {
    let to = from + 1
    while (to < fitting.length && byRank(fitting[from]!, fitting[to]!) === 0) to++
    addByWeight(order, fitting.slice(from, to), random)
    from = to
  }
  return order
}

interface Fitting {
  readonly trunk: Trunk
  /** Of its prefix that fits. */
  readonly length: number
}

const byRank = (one: Fitting, other: Fitting): number =>
  other.length - one.length || one.trunk.priority - other.trunk.priority

/** In weighted order; a weight of 0 or less is tried only after the others of its group, `left`. */
function addByWeight(order: Trunk[], left: Fitting[], random: () => number): void {
  while (left.length > 0) {
    let total = 0
    for (const { trunk } of left) total += Math.max(0, trunk.weight)
    let point = random() * total
    let at = 0
    for (; at < left.length; at++) {
      point -= Math.max(0, left[at]!.trunk.weight)
      if (point < 0) break
    }
    for (const { trunk } of left.splice(at === left.length ? 0 : at, 1)) order.push(trunk)
  }
}

/** The number in the trunk's form: `strip` characters off the front of the E.164 number, then `prepend` before it. */
export const numberForTrunk = (number: string, trunk: Trunk): string => trunk.prepend + number.slice(trunk.strip)
