const groupCount = 8
const group = /^[0-9A-Fa-f]{1,4}$/

/** The four big-endian words of an IPv6 address without a zone (RFC 4291 §2.2); undefined for anything else. */
export function parseIpv6(text: string): Int32Array | undefined {
  const halves = text.split('::')
  const [before, after] = halves.map(groupsOf)
  if (halves.length > 2 || before === undefined) return undefined
  if (halves.length === 1) return before.length === groupCount ? wordsOf(before) : undefined
  if (after === undefined || before.length + after.length >= groupCount) return undefined
  const zeros = new Array<number>(groupCount - before.length - after.length).fill(0)
  return wordsOf([...before, ...zeros, ...after])
}

/** The last 32 bits may be a dotted quad. */
function groupsOf(half: string): readonly number[] | undefined {
  if (half === '') return []
  const groups: number[] = []
  const parts = half.split(':')
  for (const [at, part] of parts.entries()) {
    const quad = at === parts.length - 1 && part.includes('.') ? part.split('.') : undefined
    if (quad !== undefined) {
      if (quad.length !== 4 || !quad.every(byte => /^\d{1,3}$/.test(byte) && Number(byte) <= 255)) return undefined
      const [a = 0, b = 0, c = 0, d = 0] = quad.map(Number)
      groups.push((a << 8) | b, (c << 8) | d)
    } else if (group.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

const wordsOf = (groups: readonly number[]): Int32Array =>
  Int32Array.from({ length: 4 }, (_, word) => (groups[2 * word]! << 16) | groups[2 * word + 1]!)

/** RFC 5952: lower case, without leading zeros, the longest run of zero groups as `::`. */
export function formatIpv6(words: Int32Array): string {
  const groups: number[] = []
  for (const word of words) groups.push(word >>> 16, word & 0xffff)
  let [from, length] = [-1, 1]
  for (let at = 0; at < groupCount; at++) {
    let end = at
    while (end < groupCount && groups[end] === 0) end++
    if (end - at > length) [from, length] = [at, end - at]
    if (end > at) at = end
  }
  const text = (part: readonly number[]) => part.map(value => value.toString(16)).join(':')
  return from === -1 ? text(groups) : `${text(groups.slice(0, from))}::${text(groups.slice(from + length))}`
}
