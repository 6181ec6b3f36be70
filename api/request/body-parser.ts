import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { turnOwnerOf } from '../access/guard.ts'
import { Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { announcedBytes, readBody } from './body-reader.ts'

/** The operator's lists: rates, numbers, trunks. */
export const maxBodyBytes = 1024 * 1024
/** What a customer asks fits well: the largest field, a custom payload, has 8 KB. Parsing more would keep calls waiting. */
const maxCustomerBodyBytes = 64 * 1024
/** Larger ones take a millisecond and more to parse. */
const smallBodyBytes = 8 * 1024

/** Bodies are bounded by what the route needs: its own limit, or by who may ask. */
export function boundBodies(app: Api): void {
  app.addHook('onRoute', route => {
    route.bodyLimit ??= route.config?.access === 'operator' ? maxBodyBytes : maxCustomerBodyBytes
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** JSON in UTF-8. An empty body is no body, whatever Content-Type says; keys that would reach a prototype are dropped. */
function parseJson(bytes: Buffer): unknown {
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
    return parseJson(bytes)
  })
}

const jsonTypes = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const notJson = 'Send the body as JSON, with Content-Type: application/json.'
