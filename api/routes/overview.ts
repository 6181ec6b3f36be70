import { customerOf } from '../access/guard.ts'
import { overviewAnswer } from '../answer/overview.ts'
import { notFound } from '../answer/refusal.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors } from '../schema/error.ts'
import { resource } from '../schema/field.ts'
import { AccountOverview } from '../schema/overview.ts'

/** What the portal's home shows, by one request. */
export function overviewRoutes(app: Api, door: SwitchDoor): void {
  app.get('/account/overview', {
    schema: {
      tags: ['account'],
      summary: 'The account at a glance',
      description: 'Its balance, its calls of 24 hours, what is wrong now and what a new account does first.',
      response: { 200: { ...resource(AccountOverview), description: 'As it is now.' }, ...errors() },
    },
    handler: async (request, reply) => {
      const overview = await overviewAnswer(door, customerOf(request).accountUuid)
      if (overview === undefined) throw notFound('There is no such account.')
      return reply.send(overview)
    },
  })
}
