import { quotedEnd } from './quoted-string.ts'
import { trimBlanks } from './token.ts'

/**
 * The values of a list, trimmed, empty ones left out. A comma inside quotes or angle brackets does not split
 * (RFC 3261 §7.3.1); a quote or bracket that never closes takes the rest.
 */
export function splitList(text: string): string[] {
  if (!text.includes(',')) {
    const only = trimBlanks(text)
    return only === '' ? [] : [only]
  }
  const values: string[] = []
  let start = 0
  const take = (end: number) => {
    const value = trimBlanks(text.slice(start, end))
    if (value !== '') values.push(value)
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const end = quotedEnd(text, at)
      if (end === -1) break
      at = end - 1
    } else if (code === 0x3c) {
      const end = text.indexOf('>', at)
      if (end === -1) break
      at = end
    } else if (code === 0x2c) {
      take(at)
      start = at + 1
    }
  }
  take(text.length)
  return values
}
