// RFC 3261 §25.1: token = 1*(alphanum / "-" / "." / "!" / "%" / "*" / "_" / "+" / "`" / "'" / "~")
const isTokenCode = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.!%*+`'~-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** Where the token that starts at `at` ends; `at` itself when there is none. */
export function tokenEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && isTokenCode[text.charCodeAt(end)] === 1) end++
  return end
}

export const isToken = (text: string): boolean => text !== '' && tokenEnd(text, 0) === text.length

/** Space, tab, or what is left of a line end. */
export const isBlankCode = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a

/** The first place at or after `at` that is not blank. */
export function skipBlanks(text: string, at: number): number {
  let next = at
  while (next < text.length && isBlankCode(text.charCodeAt(next))) next++
  return next
}

/** Without the blanks at its end. Other white space of Unicode is text (RFC 4475 §3.1.1.2 begins a value with one). */
export function trimBlanksEnd(text: string): string {
  let end = text.length
  while (end > 0 && isBlankCode(text.charCodeAt(end - 1))) end--
  return end === text.length ? text : text.slice(0, end)
}

/** Without the blanks at both ends. */
export const trimBlanks = (text: string): string => trimBlanksEnd(text.slice(skipBlanks(text, 0)))

/** Digits only, at most `max`; larger numbers become `max` (RFC 4475 §3.1.2.4). Undefined = not a number. */
export function clampedNumber(text: string, max: number): number | undefined {
  if (text === '') return undefined
  let value = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) return undefined
    value = Math.min(value * 10 + digit, max + 1)
  }
  return Math.min(value, max)
}

/** Digits only and at most `max`, else undefined. */
export function boundedNumber(text: string, max: number): number | undefined {
  const value = clampedNumber(text, max + 1)
  return value === undefined || value > max ? undefined : value
}

export const max32 = 0xffff_ffff
