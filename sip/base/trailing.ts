/**
 * The text without the marks at its end; `least` characters stay. No regular expression: one without an anchor at its
 * beginning takes time by the square of a long run of marks that something else ends.
 */
export function withoutTrailing(text: string, mark: string, least = 0): string {
  let end = text.length
  while (end > least && text[end - 1] === mark) end--
  return text.slice(0, end)
}
