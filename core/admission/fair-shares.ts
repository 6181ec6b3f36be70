/**
 * Max-min fairness: a source that asks for less than an even share gets all of it, and the others divide what is
 * left. When all have enough, the surplus is spread evenly, so that each may grow.
 */
export function fairShares(demands: readonly number[], capacity: number): number[] {
  const shares = demands.map(() => 0)
  const order = demands.map((_, at) => at).sort((one, two) => demands[one]! - demands[two]!)
  let left = capacity
  let takers = order.length
  for (const at of order) {
    shares[at] = Math.min(demands[at]!, left / takers)
    left -= shares[at]
    takers--
  }
  return left <= 0 ? shares : shares.map(share => share + left / shares.length)
}
