/** Where the quoted string that starts at `at` (its opening quote) ends, past the closing one; -1 = it never closes. */
export function quotedEnd(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    const code = text.charCodeAt(next)
    if (code === 0x22) return next + 1
    if (code === 0x5c) next++
  }
  return -1
}

/** The text inside quotes with its escapes resolved; text that is not quoted comes back as it is. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== 0x22) return text
  const inner = text.slice(1, text.endsWith('"') ? -1 : text.length)
  return inner.includes('\\') ? inner.replace(/\\([\s\S])/g, '$1') : inner
}

/** RFC 3261 §25.1 quoted-string. Line ends cannot be quoted: they become spaces. */
export const quote = (text: string): string => `"${text.replace(/[\r\n]+/g, ' ').replace(/["\\]/g, '\\$&')}"`
