import { Type } from '@sinclair/typebox'
import { refusalCodes } from '../../core/index.ts'
import { choice, resource } from './field.ts'

export const ErrorAnswer = Type.Object(
  {
    detail: Type.String({
      description: 'What went wrong, readable. A refusal with a code begins with it.',
      examples: ['BILL.0402: the balance does not cover the call'],
    }),
    code: Type.Optional(
      choice(Object.keys(refusalCodes) as (keyof typeof refusalCodes)[], 'The code alone, where the refusal has one.'),
    ),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
        description: 'Every field that did not fit; `detail` names the first.',
      }),
    ),
  },
  { $id: 'Error', description: 'The body of every answer that is not 2xx, but `/health/`.' },
)

const retryAfter = { 'Retry-After': Type.Integer({ description: 'Seconds after which a try makes sense.' }) }

const meanings = {
  400: 'The body is not valid JSON, or the request cannot be read.',
  401: 'The key is missing, malformed, unknown or revoked.',
  402: 'The account cannot fund this: `BILL.*`.',
  403: 'Not allowed: the account is suspended (`BILL.0403`), the number is not yours, or a link is not good.',
  404: 'There is no such resource.',
  405: 'The method is not possible here.',
  409: 'It is taken, a quota of the account is used up, or a request with the same Idempotency-Key is still in flight.',
  410: 'It was deleted.',
  412: 'The file does not meet the conditions of the request.',
  413: 'The body is too large.',
  415: 'The content type is not supported.',
  416: 'The range is outside of the file.',
  422: 'A field does not fit; `errors` names each.',
  426: 'Only a WebSocket can be opened here.',
  429: 'A rate limit or a traffic cap (`LIMIT.*`) was reached.',
  500: 'The service could not answer.',
  503: 'The service drains, is busy, or its database is being started again.',
} as const

type ErrorStatus = keyof typeof meanings

/** What a protected endpoint may always answer. */
const always: readonly ErrorStatus[] = [401, 429, 500, 503]

/** The error answers of an endpoint, for its response schemas. */
export function errors(...statuses: readonly ErrorStatus[]) {
  return Object.fromEntries([...always, ...statuses].map(status => [status, errorOf(status)]))
}

/** The error answers of an endpoint that needs no key. */
export function openErrors(...statuses: readonly ErrorStatus[]) {
  return Object.fromEntries([500 as const, 503 as const, ...statuses].map(status => [status, errorOf(status)]))
}

/** What a body may be answered with before its route sees it, also where none is wanted. */
export const bodyErrors = () => Object.fromEntries(([400, 413, 415] as const).map(status => [status, errorOf(status)]))

const errorOf = (status: ErrorStatus) => ({
  ...resource(ErrorAnswer),
  description: meanings[status],
  ...(status === 401 ? { headers: { 'WWW-Authenticate': Type.String({ description: '`Bearer`' }) } } : {}),
  ...(status === 405 ? { headers: { Allow: Type.String({ description: 'The methods that are possible.' }) } } : {}),
  ...(status === 429 || status === 503 ? { headers: retryAfter } : {}),
})
