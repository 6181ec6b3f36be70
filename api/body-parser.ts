import type { FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { Refusal } from './answer/refusal.ts'
import type { Api } from './fastify.ts'
import { ParsingTurns } from './parsing-turns.ts'

/** The operator's lists: rates, numbers, trunks. */
export const maxBodyBytes = 1024 * 1024
/** What a customer asks fits well: the largest field, a custom payload, has 8 KB. Parsing more would keep calls waiting. */
export const maxCustomerBodyBytes = 64 * 1024
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
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new Refusal(400, 'The body is not valid UTF-8.')
  }
  try {
    return secureJson.parse(text, { protoAction: 'remove', constructorAction: 'remove' })
  } catch {
    throw new Refusal(400, 'The body is not valid JSON.')
  }
}

export function parseBodies(app: Api): void {
  app.removeAllContentTypeParsers()
  const turns = new ParsingTurns()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) => {
    // A client that names no type at all still means JSON.
    const type = request.headers['content-type']
    if (type !== undefined && !jsonTypes.test(type) && bytes.length > 0) throw new Refusal(415, notJson)
    if (bytes.length > smallBodyBytes) await turns.next()
    return parseJson(bytes)
  })
}

const jsonTypes = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const notJson = 'Send the body as JSON, with Content-Type: application/json.'
