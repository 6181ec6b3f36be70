import { seeded as seededNumbers } from '../../rig/probes/seeded.ts'

/** Draws that repeat themselves. */
export function seeded(seed: number): { below(limit: number): number; pick<T>(from: readonly T[]): T } {
  const next = seededNumbers(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    pick: from => {
      const value = from[below(from.length)]
      if (value === undefined) throw new RangeError('nothing to pick from')
      return value
    },
  }
}
