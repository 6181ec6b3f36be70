import { Type } from '@sinclair/typebox'
import { parseMoney } from '../../../core/index.ts'
import { pageAnswer } from '../../answer/page.ts'
import { conflict, notFound } from '../../answer/refusal.ts'
import { renderOperatorNumber } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { errors } from '../../schema/error.ts'
import { choice, identifier, message, pageOf, paging, resource, searchOf } from '../../schema/field.ts'
import { NewNumber, OperatorNumber } from '../../schema/number.ts'

const config = { access: 'operator' } as const
const tags = ['operator']

export function operatorNumberRoutes(app: Api, door: SwitchDoor): void {
  const { accounts, numbers } = door.repositories

  app.get('/operator/numbers', {
    config,
    schema: {
      tags,
      summary: 'All numbers of the switch',
      querystring: Type.Object({
        ...paging,
        search: searchOf('Any part of the number, digits only.'),
        names: Type.Optional(choice(['true', 'false'], '`true`: with the name of each owner.')),
      }),
      response: { 200: pageOf('numbers', OperatorNumber, 'by number'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset, search = '', names: withNames } = request.query
      const { rows, total } = await numbers.list({ limit, offset, search: search.replace(/\D/g, '') })
      if (withNames !== 'true')
        return reply.send(pageAnswer('numbers', rows.map(renderOperatorNumber), total, request.query))
      const owners = new Set(rows.flatMap(({ accountUuid }) => accountUuid ?? []))
      const names = new Map((await accounts.names([...owners])).map(({ uuid, name }) => [uuid, name]))
      const shown = rows.map(row => ({
        ...renderOperatorNumber(row),
        account_name: names.get(row.accountUuid ?? '') ?? null,
      }))
      return reply.send(pageAnswer('numbers', shown, total, request.query))
    },
  })

  app.post('/operator/numbers', {
    config,
    schema: {
      tags,
      summary: 'Add a number to the pool',
      body: NewNumber,
      response: {
        201: { ...resource(OperatorNumber), description: 'The number.' },
        ...errors(400, 409, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const { number, setup_fee: fee } = request.body
      const added = await numbers.add(number, parseMoney(fee ?? '0') ?? 0, Date.now())
      if (added === undefined) throw conflict(`${number} is on this switch already.`)
      return reply.code(201).send(renderOperatorNumber(added))
    },
  })

  app.delete('/operator/numbers/:uuid', {
    config,
    schema: {
      tags,
      summary: 'Take a number out of the pool',
      params: Type.Object({ uuid: identifier("The number's uuid.") }),
      response: { 200: message('Done.'), ...errors(404, 409, 422) },
    },
    handler: async (request, reply) => {
      switch (await numbers.remove(request.params.uuid)) {
        case 'unknown':
          throw notFound('There is no such number.')
        case 'owned':
          throw conflict('An account owns the number; it must be released first.')
        case 'removed':
          return reply.send({ message: 'The number is gone.' })
      }
    },
  })
}
