import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { databaseRetrySeconds, type Log, QueueFull, type QuotaSentence, StoreError } from '../../core/index.ts'
import { suspendedBefore } from '../access/guard.ts'
import { fieldProblems } from '../answer/field-problems.ts'
import { bodyOf, misfit, Refusal } from '../answer/refusal.ts'

/** A client that sent too many requests may retry after this. */
const crowdedRetrySeconds = 1

/** Whatever was thrown, as the refusal that the customer sees; undefined is a fault of ours. */
function refusalOf(error: FastifyError | Refusal | StoreError, request: FastifyRequest): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof StoreError) return refusalByStore(error, request)
  if (error.validation !== undefined) {
    const refused = suspendedBefore(request)
    if (refused !== undefined) return refused
    const where = error.validationContext ?? 'body'
    return misfit(fieldProblems(error.validation as Parameters<typeof fieldProblems>[0], where))
  }
  if (error instanceof QueueFull)
    return new Refusal(429, 'Too many requests of this kind at once: wait for the earlier ones.', {
      headers: { 'retry-after': String(crowdedRetrySeconds) },
    })
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(413, `The body is larger than ${request.routeOptions.bodyLimit} bytes.`)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(415, 'Send the body as JSON, with Content-Type: application/json.')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal(400, 'The body is not as long as Content-Length says.')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Refusal(414, 'A part of the path is too long.')
    case 'FST_ERR_BAD_URL':
      return new Refusal(400, 'The path is not a valid URL path.')
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? new Refusal(error.statusCode, 'The request cannot be read.')
        : undefined
  }
}

function refusalByStore(error: StoreError, request: FastifyRequest): Refusal | undefined {
  switch (error.code) {
    // A quota forbids it; the store has made the sentence (`quotaUsedUp`).
    case 'store.quota':
      return new Refusal(409, error.message as QuotaSentence)
    case 'store.too-many':
      return new Refusal(429, 'Too many list requests at once: wait for the earlier ones.', {
        headers: { 'retry-after': String(crowdedRetrySeconds) },
      })
    case 'store.busy':
      return new Refusal(503, 'The service is busy: try again.', {
        headers: { 'retry-after': String(crowdedRetrySeconds) },
      })
    case 'store.away':
      return databaseAway()
    case 'store.unusable':
      // Whether it was done is not known: only what changes nothing more when it is done twice may be sent again unseen.
      return idempotentMethods.has(request.method) ? databaseAway() : undefined
    default:
      return undefined
  }
}

/** The request was not done, or may be sent again whatever was done of it. */
export const databaseAway = (): Refusal =>
  new Refusal(503, 'The database is being started again: try again.', {
    headers: { 'retry-after': String(databaseRetrySeconds) },
  })

/** RFC 9110 §9.2.2, of those that routes have. */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/** Sends `{ detail }` for any failure; our own faults are logged, and the answer shows no internals. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const refusal = error instanceof Error ? refusalOf(error as FastifyError | Refusal | StoreError, request) : undefined
  if (refusal !== undefined) {
    // The rest of the body is read and dropped: a client that still sends would lose the answer with a closed connection.
    if (refusal.status === 413) reply.removeHeader('connection')
    return reply
      .code(refusal.status)
      .headers(refusal.extras.headers ?? {})
      .type(jsonType)
      .send(bodyOf(refusal))
  }
  const route = request.routeOptions.url ?? 'unknown'
  log.error(
    { method: request.method, route, error: error instanceof Error ? error.stack : String(error) },
    'request failed',
  )
  return reply.code(500).type(jsonType).send({ detail: 'The service could not answer this request.' })
}

export const jsonType = 'application/json; charset=utf-8'
