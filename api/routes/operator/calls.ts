import { Type } from '@sinclair/typebox'
import { dumpText } from '../../answer/dump-text.ts'
import { pageAnswer } from '../../answer/page.ts'
import { notFound } from '../../answer/refusal.ts'
import { renderLiveCall } from '../../answer/render.ts'
import { renderDump } from '../../answer/render-dump.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { CallDump } from '../../schema/call-dump.ts'
import { errors } from '../../schema/error.ts'
import { choice, identifier, Paging, pageOf, resource } from '../../schema/field.ts'
import { Drain, DrainState, LiveCall } from '../../schema/operator.ts'

const config = { access: 'operator' } as const
const tags = ['operator']

export function operatorCallRoutes(app: Api, door: SwitchDoor): void {
  const state = { ...resource(DrainState), description: 'Whether new calls are taken.' }
  const current = () => ({ draining: door.isDraining, live_calls: door.calls.live().length })

  app.get('/operator/calls', {
    config,
    schema: {
      tags,
      summary: 'Live calls with their legs',
      querystring: Paging,
      response: { 200: pageOf('calls', LiveCall), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset } = request.query
      const live = [...door.calls.live()].sort((a, b) => b.call.createdUnix - a.call.createdUnix)
      const rows = live.slice(offset, offset + limit).map(renderLiveCall)
      return reply.send(pageAnswer('calls', rows, live.length, request.query))
    },
  })

  app.get('/operator/calls/:uuid/dump', {
    config,
    schema: {
      tags,
      summary: 'State of a live call, for support',
      description:
        'Its place in the document, what it waits for, money that is held, and of each leg SIP dialog, transactions and media session. Without keys, passwords and tokens.',
      params: Type.Object({ uuid: identifier("The call's uuid, or its sid.") }),
      querystring: Type.Object({ format: Type.Optional(choice(['json', 'text'], '`text`: for people.')) }),
      response: {
        200: {
          description: 'The state of the call.',
          content: {
            'application/json': { schema: resource(CallDump) },
            'text/plain': { schema: Type.String() },
          },
        },
        ...errors(404, 422),
      },
    },
    handler: async (request, reply) => {
      const found = await door.calls.dump?.(request.params.uuid)
      if (found === undefined)
        throw notFound('No such call lives. What is kept of a call that has ended is its trace: /calls/{uuid}/trace.')
      const dump = renderDump(found)
      if (request.query.format === 'text') return reply.type('text/plain; charset=utf-8').send(dumpText(dump))
      return reply.type('application/json; charset=utf-8').send(dump)
    },
  })

  app.get('/operator/drain', {
    config,
    schema: { tags, summary: 'Whether new calls are taken', response: { 200: state, ...errors() } },
    handler: async (_request, reply) => reply.send(current()),
  })

  app.post('/operator/drain', {
    config,
    schema: {
      tags,
      summary: 'Take no new calls',
      description: 'Live calls get `seconds` (default: the setting `drain.seconds`), then END.5503.',
      body: Drain,
      response: { 200: state, ...errors(400, 413, 415, 422) },
    },
    // `seconds` may be left out, and the body with it; null is a body, and none that drains.
    preValidation: async request => {
      if (request.body === undefined) request.body = {}
    },
    handler: async (request, reply) => {
      door.drain(request.body.seconds)
      return reply.send(current())
    },
  })

  app.delete('/operator/drain', {
    config,
    schema: { tags, summary: 'Take new calls again', response: { 200: state, ...errors() } },
    handler: async (_request, reply) => {
      door.resume()
      return reply.send(current())
    },
  })
}
