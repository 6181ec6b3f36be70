import {
  capRetrySeconds,
  databaseRetrySeconds,
  drainRetrySeconds,
  loadRetrySeconds,
  type OriginateCode,
  type OriginateRefusal,
  refusalCodes,
} from '../../core/index.ts'
import { activeCustomerOf, customerOf } from '../access/guard.ts'
import { invalid, Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { answerOfPlaced, idempotencyHeader, once } from '../request/idempotency.ts'
import { parsedUrl } from '../request/parsed-url.ts'
import { Originate } from '../schema/call.ts'
import { errors } from '../schema/error.ts'
import { callAnswer } from './calls.ts'

const maxPayloadBytes = 8 * 1024

export function originateRoutes(app: Api, door: SwitchDoor): void {
  app.post('/calls/originate', {
    config: { spends: true },
    schema: {
      tags: ['calls'],
      summary: 'Place a call',
      description: 'Dials `to`, presents `from`, and on answer fetches verbs from `url`.',
      headers: idempotencyHeader,
      body: Originate,
      response: { 201: callAnswer, ...errors(400, 402, 403, 409, 413, 415, 422, 503) },
    },
    handler: (request, reply) => {
      // Before the key is looked up: a loaded switch has no time for calls that it does not take.
      const refusal = door.calls.refuseNewCalls?.(customerOf(request).accountUuid)
      if (refusal !== undefined) throw refusalOf(refusal)
      return once(door, request, reply, customerOf(request).accountUuid, async idempotencyKey => {
        const { accountUuid } = activeCustomerOf(request)
        const { to, from, timeout, customPayload } = request.body
        const url = parsedUrl('url', request.body.url)
        if (customPayload !== undefined && customPayload !== null) checkSize(customPayload)
        if (!to.startsWith('+') && (await door.repositories.users.byExtension(accountUuid, to)) === undefined) {
          throw invalid('to', `${to} is neither E.164 (+ and 7 to 15 digits) nor an extension of this account`)
        }
        const result = await door.calls.originate({
          accountId: accountUuid,
          to,
          from,
          url,
          ...(timeout === undefined ? {} : { timeoutSeconds: timeout }),
          ...(customPayload === undefined || customPayload === null ? {} : { customPayload }),
          idempotencyKey,
        })
        if (!result.ok) throw refusalOf(result)
        return answerOfPlaced(result.call)
      })
    },
  })
}

function checkSize(payload: string | Record<string, unknown>): void {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  if (Buffer.byteLength(text) > maxPayloadBytes) throw invalid('customPayload', 'must be at most 8 KB')
}

/** A refusal of the exchange in HTTP: 422 names the field, any other its code; 429 and 503 say when to come again. */
function refusalOf(refused: OriginateRefusal): Refusal {
  if (refused.kind === 'field') return invalid(refused.field, refused.sentence)
  const { code, sentence } = refused
  const { status } = refusalCodes[code]
  const wait = retryAfterOf(status, code)
  return new Refusal(status, sentence, {
    code,
    ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }),
  })
}

function retryAfterOf(status: number, code: OriginateCode): number | undefined {
  if (status === 429) return capRetrySeconds
  if (status !== 503) return undefined
  if (code === 'END.5500') return databaseRetrySeconds
  return code === 'LIMIT.0503' ? loadRetrySeconds : drainRetrySeconds
}
