import { type LoudnessLine, loudnessOf } from './loudness.ts'

/** Steps along the sent and the played audio; the second is finer, since time may be stretched a little. */
const saidHopMs = 10
const receivedHopMs = 1.25
const perSaid = saidHopMs / receivedHopMs
/** Most that played audio lies after what was sent. */
const furthestMs = 450
/** Most finer steps that one step may take more or less; each costs this share of its loudness. */
const mostUneven = 4
const unevenCost = 0.0125
/** Two loudnesses of a band that differ by less are as good as the same (ITU-T P.862 has such a dead zone too). */
const unnoticed = 0.25
/** Within such a piece, a syllable, the worst counts most. */
const pieceMs = 200

/** How a step came about: by a change of the lag, or else. */
const leftOut = 100
const added = 101

/**
 * How much of what was said is heard as it was said, 0 to 100. Both are turned into loudness in critical bands, and the
 * way along both is found that costs least: a step costs how much they differ there; what is left out costs its whole
 * loudness; what is heard and was never said costs its own, or that of the sound that it interrupts. In each 200 ms the shares that are lost are pooled by their
 * root mean square, so that a short hole counts for the syllable that it is in; pieces count by their loudness. 100 is
 * the sound with every packet in its place.
 */
export function scoreOf(said: Int16Array, received: Int16Array, sampleRate: 8000 | 16_000): number {
  const wanted = loudnessOf(said, sampleRate, saidHopMs)
  const got = loudnessOf(received, sampleRate, receivedHopMs)
  return pooled(wanted, ...wayThrough(wanted, got))
}

/** The cost of each step of what was said, on the way that costs least in all, and the loudness that it is a share of. */
function wayThrough(wanted: LoudnessLine, got: LoudnessLine): [costs: Float64Array, weights: Float64Array] {
  const lags = Math.ceil(furthestMs / receivedHopMs) + 1
  const moves = new Int8Array(wanted.frames * lags)
  let sums = new Float64Array(lags)
  let next = new Float64Array(lags)
  for (let said = 0; said < wanted.frames; said++) {
    const whole = wanted.totals[said]!
    for (let lag = 0; lag < lags; lag++) {
      const place = said * perSaid + lag
      const step = difference(wanted, said, got, place)
      const price = unevenCost * (whole + (got.totals[place] ?? 0))
      let move = 0
      let best = Infinity
      for (let by = -Math.min(mostUneven, lag); by <= mostUneven && lag + by < lags; by++) {
        const cost = sums[lag + by]! + step + Math.abs(by) * price
        // Of ways that cost the same, the straight one.
        if (cost > best || (cost === best && by !== 0)) continue
        best = cost
        move = by
      }
      const without = lag + perSaid < lags ? sums[lag + perSaid]! + whole : Infinity
      if (without < best) {
        best = without
        move = leftOut
      }
      next[lag] = best
      moves[said * lags + lag] = move
    }
    for (let lag = perSaid; lag < lags; lag++) {
      const cost = next[lag - perSaid]! + Math.max(whole, got.totals[said * perSaid + lag] ?? 0)
      if (cost >= next[lag]!) continue
      next[lag] = cost
      moves[said * lags + lag] = added
    }
    ;[sums, next] = [next, sums]
  }
  let lag = 0
  for (let at = 1; at < lags; at++) if (sums[at]! < sums[lag]!) lag = at
  const costs = new Float64Array(wanted.frames)
  const weights = new Float64Array(wanted.frames)
  for (let said = wanted.frames - 1; said >= 0; ) {
    const move = moves[said * lags + lag]!
    const place = said * perSaid + lag
    const total = got.totals[place] ?? 0
    const whole = wanted.totals[said]!
    if (move === added) {
      costs[said]! += Math.max(whole, total)
      weights[said]! += Math.max(whole, total)
      lag -= perSaid
      continue
    }
    weights[said]! += move === leftOut ? whole : whole + total
    if (move === leftOut) costs[said]! += whole
    else costs[said]! += difference(wanted, said, got, place) + Math.abs(move) * unevenCost * (whole + total)
    lag += move === leftOut ? perSaid : move
    said--
  }
  return [costs, weights]
}

function pooled(wanted: LoudnessLine, costs: Float64Array, weights: Float64Array): number {
  const piece = pieceMs / saidHopMs
  let lost = 0
  let all = 0
  for (let from = 0; from < wanted.frames; from += piece) {
    let squares = 0
    let weight = 0
    for (let at = from; at < Math.min(wanted.frames, from + piece); at++) {
      weight += weights[at]!
      if (weights[at]! > 0) squares += costs[at]! ** 2 / weights[at]!
    }
    lost += Math.sqrt(squares * weight)
    all += weight
  }
  return 100 * (1 - lost / Math.max(1, all))
}

const difference = (a: LoudnessLine, at: number, b: LoudnessLine, place: number): number => {
  if (place >= b.frames) return a.totals[at]!
  let sum = 0
  for (let band = 0; band < a.bands; band++) {
    const one = a.values[at * a.bands + band]!
    const two = b.values[place * b.bands + band]!
    const apart = one < two ? two - one * (1 + unnoticed) : one - two * (1 + unnoticed)
    if (apart > 0) sum += apart
  }
  return sum
}
