import type { Trunk } from '../model/trunk.ts'
import { longestPrefix } from './e164.ts'

/**
 * The trunks that reach a number, in the order in which they are tried: longest prefix, then priority (lower first),
 * then weight, drawn without replacement so that each trunk of a group is somewhere in the list.
 * `random` gives numbers in [0, 1).
 */
export function routesTo(number: string, trunks: readonly Trunk[], random: () => number): readonly Trunk[] {
  const fitting = trunks.flatMap(trunk => {
    const length = longestPrefix(number, trunk.prefixes)
    return length === undefined ? [] : [{ trunk, length }]
  })
  const groups = new Map<string, { length: number; priority: number; trunks: Trunk[] }>()
  for (const { trunk, length } of fitting) {
    const key = `${length}/${trunk.priority}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { length, priority: trunk.priority, trunks: [trunk] })
    else group.trunks.push(trunk)
  }
  return [...groups.values()]
    .sort((a, b) => b.length - a.length || a.priority - b.priority)
    .flatMap(group => byWeight(group.trunks, random))
}

/** Weighted order; a weight of 0 or less is tried only after the others of its group. */
function byWeight(trunks: readonly Trunk[], random: () => number): readonly Trunk[] {
  const left = [...trunks]
  const order: Trunk[] = []
  while (left.length > 0) {
    const total = left.reduce((sum, trunk) => sum + Math.max(0, trunk.weight), 0)
    let point = random() * total
    let at = left.findIndex(trunk => {
      point -= Math.max(0, trunk.weight)
      return point < 0
    })
    if (at === -1) at = 0
    order.push(...left.splice(at, 1))
  }
  return order
}

/** The number in the trunk's form: `strip` characters off the front of the E.164 number, then `prepend` before it. */
export const numberForTrunk = (number: string, trunk: Trunk): string => trunk.prepend + number.slice(trunk.strip)
