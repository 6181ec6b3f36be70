import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { maxJsonLevels } from '../../core/index.ts'
import { turnOwnerOf } from '../access/guard.ts'
import { Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { announcedBytes, readBody } from './body-reader.ts'
import { extentOf, parseJson } from './json-body.ts'

/** Any body but an asset and the rate deck. */
export const maxBodyBytes = 1024 * 1024
/** Larger ones take a millisecond and more to parse. */
export const smallBodyBytes = 8 * 1024
/** Up to here the length alone bounds the work. */
const plainBodyBytes = 64 * 1024
/**
 * Values in a customer's longer body. Parsing costs by value, not by octet: 1 MB of text takes 2 ms, of numbers 10, of keys 30,
 * in which calls would wait. What a customer asks has some dozens; the largest field, a custom payload, has 8 KB.
 */
const mostValues = 10_000

export function parseBodies(app: Api, turns: WorkTurns): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    // A client that names no type at all still means JSON.
    const type = request.headers['content-type']
    const isOther = type !== undefined && !jsonTypes.test(type)
    if (isOther && (announcedBytes(request) ?? 0) > 0) throw new Refusal(415, notJson)
    const bytes = await readBody(request, payload, turns)
    if (isOther && bytes.length > 0) throw new Refusal(415, notJson)
    if (request.routeOptions.config.takesBytes === true) return bytes
    if (bytes.length > smallBodyBytes) await turns.next(turnOwnerOf(request))
    const { values, levels } = extentOf(bytes)
    const isBounded = bytes.length > plainBodyBytes && request.routeOptions.config.access !== 'operator'
    if (isBounded && values > mostValues) throw new Refusal(413, `The body holds more than ${mostValues} values.`)
    return parseJson(bytes, levels, maxJsonLevels)
  })
}

const jsonTypes = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const notJson = 'Send the body as JSON, with Content-Type: application/json.'
