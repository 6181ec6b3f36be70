import type { AccountUuid } from '../../core/index.ts'
import { customerOf } from '../access/guard.ts'
import { notFound } from '../answer/refusal.ts'
import { renderCall } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { BySid } from '../schema/call.ts'
import { errors } from '../schema/error.ts'
import { callAnswer } from './calls.ts'

/** Three ways to say it. An ended call is answered unchanged. HEAD must not end a call, so the GETs have none. */
export function hangupRoutes(app: Api, door: SwitchDoor): void {
  const response = { 200: callAnswer, ...errors(400, 404, 413, 415, 422) }
  const schema = { tags: ['calls'], summary: 'End a call', description: 'Idempotent: an ended call stays as it is.' }

  const hangUp = async (accountUuid: AccountUuid, sid: string) => {
    const call = await door.calls.hangup(accountUuid, sid)
    if (call === undefined) throw notFound('There is no such call.')
    return renderCall(call)
  }

  app.post('/calls/hangup', {
    schema: { ...schema, body: BySid, response },
    handler: async (request, reply) => reply.send(await hangUp(customerOf(request).accountUuid, request.body.sid)),
  })

  app.get('/calls/hangup', {
    exposeHeadRoute: false,
    schema: { ...schema, summary: 'End a call, by query', querystring: BySid, response },
    handler: async (request, reply) => reply.send(await hangUp(customerOf(request).accountUuid, request.query.sid)),
  })

  app.get('/calls/hangup/:sid', {
    exposeHeadRoute: false,
    schema: { ...schema, summary: 'End a call, by path', params: BySid, response },
    handler: async (request, reply) => reply.send(await hangUp(customerOf(request).accountUuid, request.params.sid)),
  })
}
