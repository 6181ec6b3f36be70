/**
 * RFC 8259 §6: up to here all readers of JSON agree on an integer. A greater number is read as the nearest double, which may
 * be another number or infinite.
 */
export const maxJsonNumber = Number.MAX_SAFE_INTEGER

/** Whether a JSON value holds a number that may be another one than what was written. */
export function hasRoundedNumber(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'number' && !(Math.abs(next) <= maxJsonNumber)) return true
    if (typeof next === 'object' && next !== null) left.push(...Object.values(next))
  }
  return false
}
