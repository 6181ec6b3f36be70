import { Type } from '@sinclair/typebox'
import { customerOf } from '../access/guard.ts'
import { pageAnswer } from '../answer/page.ts'
import { invalid, notFound } from '../answer/refusal.ts'
import { renderCall } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { parseTimestamp } from '../base/timestamp.ts'
import { jsonType } from '../request/failure.ts'
import { Call, CallFilter } from '../schema/call.ts'
import { errors } from '../schema/error.ts'
import { identifier, pageOf, resource } from '../schema/field.ts'

const sidForm = /^CA[0-9A-HJKMNP-TV-Z]{16}$/

export const callAnswer = { ...resource(Call), description: 'The call.' }

export function callRoutes(app: Api, door: SwitchDoor): void {
  app.get('/calls/', {
    schema: {
      tags: ['calls'],
      summary: 'Calls of the account, newest first',
      querystring: CallFilter,
      response: { 200: pageOf('calls', Call), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset, direction, status, reason, search, from_dt: from, to_dt: to } = request.query
      const page = { limit, offset }
      const sid = search?.trim().toUpperCase()
      const isSid = sid !== undefined && sidForm.test(sid)
      const digits = isSid ? undefined : search?.replace(/\D/g, '')
      // A search of letters can match no number; one of blanks or a lone "+" is none.
      if (digits === '' && /[^+\s()-]/.test(search ?? '')) return reply.send(pageAnswer('calls', [], 0, page))
      const { rows, total } = await door.calls.listTexts(customerOf(request).accountUuid, {
        ...page,
        ...(direction === undefined ? {} : { direction }),
        ...(status === 'live' ? { isLive: true } : status === undefined ? {} : { status }),
        ...(reason === undefined ? {} : { reason }),
        ...(isSid ? { sid } : {}),
        ...(digits === undefined || digits === '' ? {} : { search: digits }),
        ...(from === undefined ? {} : { fromUnix: timeOr422('from_dt', from) }),
        ...(to === undefined ? {} : { toUnix: timeOr422('to_dt', to) }),
      })
      const text = `{"calls":[${rows.join(',')}],"total":${total},"limit":${limit},"offset":${offset}}`
      return reply.type(jsonType).send(text)
    },
  })

  app.get('/calls/:uuid', {
    schema: {
      tags: ['calls'],
      summary: 'A call',
      params: Type.Object({ uuid: identifier("The call's uuid.") }),
      response: { 200: callAnswer, ...errors(404, 422) },
    },
    handler: async (request, reply) => {
      const call = await door.calls.get(customerOf(request).accountUuid, request.params.uuid)
      if (call === undefined) throw notFound('There is no such call.')
      return reply.send(renderCall(call))
    },
  })
}

function timeOr422(field: string, text: string): number {
  const time = parseTimestamp(text)
  if (time === undefined) throw invalid(field, 'must be an ISO-8601 timestamp, as 2026-07-01T08:30:00Z')
  return time
}
