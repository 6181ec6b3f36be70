import { customerOf } from '../access/guard.ts'
import { conflict, notFound } from '../answer/refusal.ts'
import { renderUser } from '../answer/render.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors } from '../schema/error.ts'
import { byUuid, listOf, message, resource } from '../schema/field.ts'
import { EndUser, EndUserChange, NewEndUser } from '../schema/user.ts'

const noSuch = () => notFound('The account has no such end-user.')

export function userRoutes(app: Api, door: SwitchDoor): void {
  const { users, phoneTokens } = door.repositories
  const tags = ['users']
  const user = { ...resource(EndUser), description: 'The end-user.' }
  const isRegistered = (uuid: string) => door.isRegistered?.(uuid) ?? false

  app.get('/users/', {
    schema: { tags, summary: 'End-users', response: { 200: listOf(EndUser, 'Oldest first.'), ...errors() } },
    handler: async (request, reply) => {
      const all = await users.list(customerOf(request).accountUuid)
      return reply.send(all.map(each => renderUser(each, isRegistered(each.uuid))))
    },
  })

  app.post('/users/create', {
    schema: {
      tags,
      summary: 'Make an end-user',
      description: 'It gets the next free extension of the switch.',
      body: NewEndUser,
      response: { 201: user, ...errors(400, 409, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { email, display_name: displayName = '' } = request.body
      const made = await users.create(customerOf(request).accountUuid, { email, displayName }, Date.now())
      if (made === undefined) throw conflict('The account already has an end-user with this email.')
      return reply.code(201).send(renderUser(made, false))
    },
  })

  app.post('/users/update', {
    schema: {
      tags,
      summary: 'Change an end-user',
      description: 'Only fields that are sent are changed. Deactivating lets live calls go on.',
      body: EndUserChange,
      response: { 200: user, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const { uuid, display_name: displayName, is_active: isActive } = request.body
      const changed = await users.change(accountUuid, uuid, {
        displayName: displayName ?? undefined,
        isActive: isActive ?? undefined,
      })
      if (changed === undefined) throw noSuch()
      if (!changed.isActive) await phoneTokens.revokeAllOf(accountUuid, uuid, Date.now())
      return reply.send(renderUser(changed, isRegistered(uuid)))
    },
  })

  app.post('/users/delete', {
    schema: {
      tags,
      summary: 'Delete an end-user',
      description: 'Its phone tokens end with it; its extension is not given out again.',
      body: byUuid('end-user'),
      response: { 200: message('Done.'), ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const { uuid } = request.body
      await phoneTokens.revokeAllOf(accountUuid, uuid, Date.now())
      if (!(await users.remove(accountUuid, uuid))) throw noSuch()
      return reply.send({ message: 'The end-user is deleted.' })
    },
  })
}
