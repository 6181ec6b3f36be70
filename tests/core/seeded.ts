/** A generator that repeats itself (mulberry32). */
export function seeded(seed: number): { below(limit: number): number; pick<T>(from: readonly T[]): T } {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
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
