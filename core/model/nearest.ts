/** The known name nearest to what was written, when it is near enough to be meant. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const best = known
    .map(name => ({ name, distance: editDistance(written, name) }))
    .sort((a, b) => a.distance - b.distance)[0]
  return best !== undefined && best.distance <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined
}

/** `; did you mean "--realm"?` with the prefix `--`; empty when no known name is near. */
export function suggestion(written: string, known: readonly string[], prefix = ''): string {
  const meant = nearest(written, known)
  return meant === undefined ? '' : `; did you mean "${prefix}${meant}"?`
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
