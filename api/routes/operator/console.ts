import { Type } from '@sinclair/typebox'
import { Destinations, formatMoney, numberForTrunk, routesTo } from '../../../core/index.ts'
import { pageAnswer } from '../../answer/page.ts'
import { timeOf } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { HourlyFigures } from '../../metrics/figures.ts'
import { errors } from '../../schema/error.ts'
import { e164, listOf, Paging, pageOf, resource } from '../../schema/field.ts'
import { Figures, OperatorChange, RouteMatch, TrunkState } from '../../schema/operator-console.ts'

const config = { access: 'operator' } as const
const tags = ['operator']

/** What an operator looks at: the last hour, trunks as they are, where a call would go, and who changed what. */
export function operatorConsoleRoutes(app: Api, door: SwitchDoor): void {
  const { trunks, rates, destinations, operatorChanges } = door.repositories
  const figures = new HourlyFigures(door)
  app.addHook('onClose', async () => figures.close())

  app.get('/operator/figures', {
    config,
    schema: {
      tags,
      summary: 'The last hour',
      response: { 200: { ...resource(Figures), description: 'A place every ten seconds.' }, ...errors() },
    },
    handler: async (_request, reply) => reply.send(figures.rendered(Date.now())),
  })

  app.get('/operator/changes', {
    config,
    schema: {
      tags,
      summary: 'What operators changed, newest first',
      querystring: Paging,
      response: { 200: pageOf('changes', OperatorChange), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { rows, total } = await operatorChanges.list(request.query)
      const rendered = rows.map(({ id, actor, address, action, path, before, after, createdUnix }) => ({
        id,
        actor,
        address,
        action,
        path,
        before: before === null ? null : (JSON.parse(before) as unknown),
        after: after === null ? null : (JSON.parse(after) as unknown),
        created_at: timeOf(createdUnix),
      }))
      return reply.send(pageAnswer('changes', rendered, total, request.query))
    },
  })

  app.get('/operator/trunks/states', {
    config,
    schema: {
      tags,
      summary: 'Whether trunks can be reached',
      response: { 200: listOf(TrunkState, 'Oldest trunk first.'), ...errors() },
    },
    handler: async (_request, reply) => {
      const legs = door.calls.live().flatMap(call => call.legs)
      const states = trunks.current().map(trunk => {
        const health = door.trunkHealth?.(trunk.uuid)
        return {
          uuid: trunk.uuid,
          is_registered: health?.isRegistered ?? null,
          is_reachable: health?.isReachable ?? null,
          live_legs: legs.filter(({ leg }) => leg.trunkName === trunk.name).length,
        }
      })
      return reply.send(states)
    },
  })

  app.get('/operator/routes', {
    config,
    schema: {
      tags,
      summary: 'Where a call to a number would go, and at what price',
      querystring: Type.Object({
        to: Type.String({
          pattern: `^${e164}$`,
          description: 'E.164.',
          'x-problem': 'must be E.164: + and 7 to 15 digits',
        }),
      }),
      response: { 200: { ...resource(RouteMatch), description: 'The match.' }, ...errors(422) },
    },
    handler: async (request, reply) => {
      const { to } = request.query
      const rate = rates.deck().find('outbound', to)
      const { blocked, allowed } = destinations.current()
      const owned = (await door.repositories.numbers.list({ limit: 1, offset: 0, number: to })).rows[0]
      return reply.send({
        number: to,
        is_allowed: new Destinations(blocked, allowed).allows(to),
        owner: owned?.accountUuid ?? null,
        rate:
          rate === undefined
            ? null
            : {
                prefix: rate.prefix,
                rate_per_minute: formatMoney(rate.ratePerMinute),
                connection_fee: formatMoney(rate.connectionFee),
                increment_seconds: rate.incrementSeconds,
              },
        // In the order of equal chances: what is first is the most likely, not the certain one.
        trunks: routesTo(to, trunks.current(), () => 0).map(trunk => ({
          uuid: trunk.uuid,
          name: trunk.name,
          dialled: numberForTrunk(to, trunk),
          priority: trunk.priority,
          weight: trunk.weight,
        })),
      })
    },
  })
}
