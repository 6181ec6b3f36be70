import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { maxJsonLevels } from '../../core/index.ts'
import { turnOwnerOf } from '../access/guard.ts'
import { invalid, Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { announcedBytes, readBody } from './body-reader.ts'

/** Any body but an asset and the rate deck. */
export const maxBodyBytes = 1024 * 1024
/** Larger ones take a millisecond and more to parse. */
const smallBodyBytes = 8 * 1024
/** Up to here the length alone bounds the work. */
const plainBodyBytes = 64 * 1024
/**
 * Values in a customer's longer body. Parsing costs by value, not by octet: 1 MB of text takes 2 ms, of numbers 10, of keys 30,
 * in which calls would wait. What a customer asks has some dozens; the largest field, a custom payload, has 8 KB.
 */
const mostValues = 10_000

const [quote, backslash, comma, bracket, brace, bracketEnd, braceEnd] = [...'"\\,[{]}'].map(character =>
  character.charCodeAt(0),
)

/**
 * What JSON holds, counted without parsing, 2 ms a megabyte. Each value but the first stands after a comma or opens a list or an
 * object. Levels are those of lists and objects: to walk through the parsed value would cost as much as to parse it.
 */
function extentOf(bytes: Buffer): { readonly values: number; readonly levels: number } {
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
function parseJson(bytes: Buffer, levels: number): unknown {
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
  if (levels > maxJsonLevels) throw invalid('body', `must have at most ${maxJsonLevels} levels of objects and lists`)
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

export function parseBodies(app: Api, turns: WorkTurns): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    // A client that names no type at all still means JSON.
    const type = request.headers['content-type']
    const isOther = type !== undefined && !jsonTypes.test(type)
    if (isOther && (announcedBytes(request) ?? 0) > 0) throw new Refusal(415, notJson)
    const bytes = await readBody(request, payload, turns)
    if (isOther && bytes.length > 0) throw new Refusal(415, notJson)
    if (bytes.length > smallBodyBytes) await turns.next(turnOwnerOf(request))
    const { values, levels } = extentOf(bytes)
    const isBounded = bytes.length > plainBodyBytes && request.routeOptions.config.access !== 'operator'
    if (isBounded && values > mostValues) throw new Refusal(413, `The body holds more than ${mostValues} values.`)
    return parseJson(bytes, levels)
  })
}

const jsonTypes = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const notJson = 'Send the body as JSON, with Content-Type: application/json.'
