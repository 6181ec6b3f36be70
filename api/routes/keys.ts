import type { EndedAccess } from '../access/ended-access.ts'
import { customerOf } from '../access/guard.ts'
import { conflict, notFound } from '../answer/refusal.ts'
import { renderKey } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors } from '../schema/error.ts'
import { byUuid, listOf, message, resource } from '../schema/field.ts'
import { ApiKey, CreatedApiKey, NewApiKey } from '../schema/key.ts'

export const tooManyKeys = () => conflict('The account already has 10 active keys, the limit of 10; revoke one first.')

export function keyRoutes(app: Api, door: SwitchDoor, ended: EndedAccess): void {
  const { keys } = door.repositories
  const tags = ['keys']

  app.get('/keys/', {
    schema: {
      tags,
      summary: 'API keys',
      description: 'Those in use, and at most 100 revoked ones.',
      response: { 200: listOf(ApiKey, 'Oldest first, never the secrets.'), ...errors() },
    },
    handler: async (request, reply) =>
      reply.send((await keys.list(customerOf(request).accountUuid)).map(key => renderKey(key))),
  })

  app.post('/keys/create', {
    schema: {
      tags,
      summary: 'Make an API key',
      body: NewApiKey,
      response: {
        201: { ...resource(CreatedApiKey), description: 'The key; its secret is shown only here.' },
        ...errors(400, 409, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const made = await keys.create(customerOf(request).accountUuid, request.body.name, Date.now())
      if (made === undefined) throw tooManyKeys()
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send({ ...renderKey(made.record), key: made.key })
    },
  })

  app.post('/keys/revoke', {
    schema: {
      tags,
      summary: 'Revoke an API key',
      description: 'Its slot is free at once. Of the revoked keys the 100 newest are kept; older ones are deleted.',
      body: byUuid('key'),
      response: { 200: message('Done.'), ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      if (!(await keys.revoke(customerOf(request).accountUuid, request.body.uuid))) {
        throw notFound('The account has no such key.')
      }
      ended.end(request.body.uuid, performance.now())
      return reply.send({ message: 'The key is revoked.' })
    },
  })
}
