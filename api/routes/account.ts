import { customerOf } from '../access/guard.ts'
import { notFound } from '../answer/refusal.ts'
import { renderAccount } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { Account } from '../schema/account.ts'
import { errors } from '../schema/error.ts'
import { resource } from '../schema/field.ts'

export function accountRoutes(app: Api, door: SwitchDoor): void {
  app.get('/account/', {
    schema: {
      tags: ['account'],
      summary: 'The account and its wallet',
      response: { 200: { ...resource(Account), description: 'The account.' }, ...errors() },
    },
    handler: async (request, reply) => {
      const account = await door.repositories.accounts.get(customerOf(request).accountUuid)
      if (account === undefined) throw notFound('There is no such account.')
      return reply.send(renderAccount(account))
    },
  })
}
