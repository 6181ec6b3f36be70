import { type Static, Type } from '@sinclair/typebox'
import type { TrunkFields } from '../../../core/index.ts'
import { pageAnswer } from '../../answer/page.ts'
import { invalid, notFound } from '../../answer/refusal.ts'
import { passwordMask, renderTrunk } from '../../answer/render.ts'
import type { SwitchDoor } from '../../base/door.ts'
import type { Api } from '../../base/fastify.ts'
import { isNetwork } from '../../base/network.ts'
import { errors } from '../../schema/error.ts'
import { identifier, message, Paging, pageOf, resource } from '../../schema/field.ts'
import { NewTrunk, Trunk, TrunkChange } from '../../schema/trunk.ts'

const byUuid = Type.Object({ uuid: identifier("The trunk's uuid.") })
const answer = { ...resource(Trunk), description: 'The trunk.' }
const config = { access: 'operator' } as const
const tags = ['operator']
const noSuch = () => notFound('There is no such trunk.')

export function operatorTrunkRoutes(app: Api, door: SwitchDoor): void {
  const { trunks } = door.repositories

  app.get('/operator/trunks', {
    config,
    schema: {
      tags,
      summary: 'Trunks, oldest first',
      querystring: Paging,
      response: { 200: pageOf('trunks', Trunk, 'oldest first'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset } = request.query
      const all = trunks.current()
      const rows = all.slice(offset, offset + limit).map(renderTrunk)
      return reply.send(pageAnswer('trunks', rows, all.length, request.query))
    },
  })

  app.post('/operator/trunks', {
    config,
    schema: { tags, summary: 'Add a trunk', body: NewTrunk, response: { 201: answer, ...errors(400, 413, 415, 422) } },
    handler: async (request, reply) => {
      const made = await trunks.create({ name: request.body.name, ...fieldsOf(request.body) }, Date.now())
      return reply.code(201).send(renderTrunk(made))
    },
  })

  app.get('/operator/trunks/:uuid', {
    config,
    schema: { tags, summary: 'A trunk', params: byUuid, response: { 200: answer, ...errors(404, 422) } },
    handler: async (request, reply) => {
      const found = trunks.get(request.params.uuid)
      if (found === undefined) throw noSuch()
      return reply.send(renderTrunk(found))
    },
  })

  app.patch('/operator/trunks/:uuid', {
    config,
    schema: {
      tags,
      summary: 'Change a trunk',
      description: 'Only fields that are sent are changed. Live calls keep what they have.',
      params: byUuid,
      body: TrunkChange,
      response: { 200: answer, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const changed = await trunks.change(request.params.uuid, fieldsOf(request.body))
      if (changed === undefined) throw noSuch()
      return reply.send(renderTrunk(changed))
    },
  })

  app.delete('/operator/trunks/:uuid', {
    config,
    schema: {
      tags,
      summary: 'Remove a trunk',
      params: byUuid,
      response: { 200: message('Done.'), ...errors(404, 422) },
    },
    handler: async (request, reply) => {
      if (!(await trunks.remove(request.params.uuid))) throw noSuch()
      return reply.send({ message: 'The trunk is removed.' })
    },
  })
}

type Mutable<T> = { -readonly [Key in keyof T]?: T[Key] }

function fieldsOf(body: Static<typeof TrunkChange>): Partial<TrunkFields> {
  const {
    inbound_hosts: inboundHosts,
    media_hosts: mediaHosts,
    media_source: mediaSource,
    max_calls: maxCalls,
    max_cps: maxCps,
    options_ping_seconds: ping,
    prefixes,
    password,
    ...same
  } = body
  const fields: Mutable<TrunkFields> = {}
  const { name, host, port, transport, username, register, strip, prepend, priority, weight, codecs, srtp } = same
  Object.assign(
    fields,
    defined({ name, host, port, transport, username, register, strip, prepend, priority, weight, codecs, srtp }),
  )
  if (inboundHosts !== undefined) fields.inboundHosts = networks('inbound_hosts', inboundHosts)
  if (mediaSource !== undefined) fields.mediaSource = mediaSource
  if (mediaHosts !== undefined) fields.mediaHosts = networks('media_hosts', mediaHosts)
  if (prefixes !== undefined)
    fields.prefixes = prefixes.map(prefix => prefix.replace(/^\+?(?=\d)/, '+').replace(/^\+$/, ''))
  // What a GET showed, sent back, is no new password.
  if (password !== undefined && password !== passwordMask) fields.password = password
  if (maxCalls !== undefined) fields.maxCalls = maxCalls
  if (maxCps !== undefined) fields.maxCps = maxCps
  if (ping !== undefined) fields.optionsPingSeconds = ping
  return fields
}

function networks(field: string, entries: readonly string[]): readonly string[] {
  entries.forEach((entry, at) => {
    if (!isNetwork(entry)) throw invalid(`${field}[${at}]`, 'must be an IP address or a CIDR range')
  })
  return entries
}

const defined = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
