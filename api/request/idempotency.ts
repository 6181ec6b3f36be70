import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountUuid, assertNever, type CallRecord, StoreError } from '../../core/index.ts'
import { conflict, invalid } from '../answer/refusal.ts'
import { renderCall } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import { databaseAway, jsonType } from './failure.ts'

export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x20-\\x7e]{1,255}$',
      description: 'The same key again within 24 hours replays the first answer. 1 to 255 printable characters.',
      'x-problem': 'must be 1 to 255 printable characters',
    }),
  ),
})

/** What is stored under a key, byte for byte. */
export interface KeptAnswer {
  readonly status: number
  readonly body: string
}

export const answerOf = (status: number, body: unknown): KeptAnswer => ({ status, body: JSON.stringify(body) })

/** The answer to a call that was placed. */
export const answerOfPlaced = (call: CallRecord): KeptAnswer => answerOf(201, renderCall(call))

/**
 * Runs `operation` at most once per Idempotency-Key of the account, and sends its answer: what the answer is made of
 * commits under the key together with the effect. A refusal that it throws frees the key; the same key with another path
 * or body is 422, and one that is still running 409. `key` is undefined when the request has none.
 */
export async function once(
  door: SwitchDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  accountUuid: AccountUuid,
  operation: (key: string | undefined) => Promise<KeptAnswer>,
): Promise<FastifyReply> {
  const { idempotency } = door.repositories
  const key = (request.headers as Record<string, unknown>)['idempotency-key'] as string | undefined
  const send = (answer: KeptAnswer) => reply.code(answer.status).type(jsonType).send(answer.body)

  if (key !== undefined) {
    const begun = await idempotency.begin(accountUuid, key, fingerprintOf(request), Date.now()).catch(repeatable)
    switch (begun.state) {
      case 'answered':
        return send(begun)
      case 'placed':
        return send(answerOfPlaced(begun.call))
      case 'in-flight':
        throw conflict('A request with this Idempotency-Key is still in flight.')
      case 'other-request':
        throw invalid('Idempotency-Key', 'was already used for another request')
      case 'begun':
        break
      default:
        assertNever(begun)
    }
  }
  try {
    return send(await operation(key))
  } catch (fault) {
    // An answer that was committed stays: only a mark without one is taken away.
    if (key === undefined) throw fault
    await idempotency.free(accountUuid, key)
    return repeatable(fault)
  }
}

/** Under its key a request can be sent again, whatever the database has done of it. */
function repeatable(fault: unknown): never {
  throw fault instanceof StoreError && fault.code === 'store.unusable' ? databaseAway() : fault
}

/** Same method, path and JSON value: white space and the order of keys do not make another request. */
function fingerprintOf(request: FastifyRequest): string {
  const path = request.routeOptions.url ?? request.url
  return createHash('sha256')
    .update(`${request.method} ${path}\n${canonical(request.body)}`)
    .digest('hex')
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  ) ?? ''
