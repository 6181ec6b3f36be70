/**
 * The lag between `shortest` and `longest`, in samples, at which the last `span` samples before `end` look most like
 * those before them: normalised correlation, every second lag first and then the neighbours of the best
 * (as ITU-T G.711 appendix I §I.2.3 searches).
 */
export const pitchOf = (pcm: Int16Array, end: number, span: number, shortest: number, longest: number): number => {
  let best = shortest
  let bestScore = -Infinity
  for (let lag = shortest; lag <= longest; lag += 2) {
    const score = likeness(pcm, end, span, lag)
    if (score > bestScore) {
      bestScore = score
      best = lag
    }
  }
  const middle = best
  for (let lag = Math.max(shortest, middle - 1); lag <= Math.min(longest, middle + 1); lag += 2) {
    const score = likeness(pcm, end, span, lag)
    if (score > bestScore) {
      bestScore = score
      best = lag
    }
  }
  return best
}

/** How alike they are at one lag: 1 = the same but for their level, 0 = not at all. */
export const likenessOf = (pcm: Int16Array, end: number, span: number, lag: number): number => {
  let energy = 1
  for (let i = end - span; i < end; i++) energy += pcm[i]! ** 2
  return likeness(pcm, end, span, lag) / Math.sqrt(energy)
}

const likeness = (pcm: Int16Array, end: number, span: number, lag: number): number => {
  let product = 0
  let energy = 1
  for (let i = end - span; i < end; i++) {
    const before = pcm[i - lag]!
    product += pcm[i]! * before
    energy += before * before
  }
  return product / Math.sqrt(energy)
}
