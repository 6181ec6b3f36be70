import secureJson from 'secure-json-parse'
import { invalid, Refusal } from '../answer/refusal.ts'

const [quote, backslash, comma, bracket, brace, bracketEnd, braceEnd] = [...'"\\,[{]}'].map(character =>
  character.charCodeAt(0),
)

/**
 * What JSON holds, counted without parsing, 2 ms a megabyte. Each value but the first stands after a comma or opens a list or an
 * object. Levels are those of lists and objects: to walk through the parsed value would cost as much as to parse it.
 */
export function extentOf(bytes: Buffer): { readonly values: number; readonly levels: number } {
  let values = 1
  let levels = 0
  let level = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === backslash) at++
      else if (byte === quote) isText = false
    } else if (byte === quote) isText = true
    else if (byte === comma) values++
    else if (byte === bracket || byte === brace) {
      values++
      levels = Math.max(levels, ++level)
    } else if (byte === bracketEnd || byte === braceEnd) level--
  }
  return { values, levels }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** JSON in UTF-8. An empty body is no body, whatever Content-Type says; keys that would reach a prototype are dropped. */
export function parseJson(bytes: Buffer, levels: number, mostLevels: number): unknown {
  if (bytes.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new Refusal(400, 'The body is not valid UTF-8.')
  }
  let value: unknown
  try {
    value = secureJson.parse(text, { protoAction: 'remove', constructorAction: 'remove' })
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.')
  }
  // Before anything walks it.
  if (levels > mostLevels) throw invalid('body', `must have at most ${mostLevels} levels of objects and lists`)
  if (escapedSurrogate.test(text) && !isWellFormed(value)) {
    throw new Refusal(400, 'The body holds half of a surrogate pair.')
  }
  return value
}

/** UTF-8 has none; they can only come escaped. */
const escapedSurrogate = /\\ud[89a-f]/i

/** RFC 7493 §2.1: of what half a pair is stored as, and sent to customers as, every reader makes something else. */
function isWellFormed(value: unknown): boolean {
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string' && !next.isWellFormed()) return false
    if (typeof next !== 'object' || next === null) continue
    for (const [name, part] of Object.entries(next)) left.push(name, part)
  }
  return true
}
