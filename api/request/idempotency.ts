import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountUuid, assertNever } from '../../core/index.ts'
import { conflict, Refusal } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import { jsonType } from './failure.ts'

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

/** What an operation does with its answer. */
interface Remembering {
  /** Undefined when the request has no Idempotency-Key. */
  readonly key: string | undefined
  /**
   * The answer of this request. Called inside the transaction of the effect, so that the two commit together; the
   * caller stores what it gets back under the key.
   */
  keep(status: number, body: unknown): KeptAnswer
}

/**
 * Runs `operation` at most once per Idempotency-Key of the account, and sends what it kept. A refusal that it throws
 * frees the key; the same key with another path or body is 422, and one that is still running 409.
 */
export async function once(
  door: SwitchDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  accountUuid: AccountUuid,
  operation: (remembering: Remembering) => Promise<void>,
): Promise<FastifyReply> {
  const { idempotency } = door.repositories
  const key = (request.headers as Record<string, unknown>)['idempotency-key'] as string | undefined
  let kept: KeptAnswer | undefined
  const keep = (status: number, body: unknown) => {
    kept = { status, body: JSON.stringify(body) }
    return kept
  }
  const send = (answer: KeptAnswer) => reply.code(answer.status).type(jsonType).send(answer.body)

  if (key !== undefined) {
    const begun = await idempotency.begin(accountUuid, key, fingerprintOf(request), Date.now())
    switch (begun.state) {
      case 'answered':
        return send(begun)
      case 'in-flight':
        throw conflict('A request with this Idempotency-Key is still in flight.')
      case 'other-request':
        throw new Refusal(422, 'Idempotency-Key: was already used for another request', {
          errors: [{ field: 'Idempotency-Key', message: 'was already used for another request' }],
        })
      case 'begun':
        break
      default:
        assertNever(begun)
    }
  }
  try {
    await operation({ key, keep })
    if (kept === undefined) throw new Error('the operation kept no answer')
    return send(kept)
  } catch (fault) {
    // An answer that was committed stays: only a mark without one is taken away.
    if (key !== undefined) await idempotency.free(accountUuid, key)
    throw fault
  }
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
