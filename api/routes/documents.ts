import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { type AccountUuid, checkDocument, type HostedDocumentRecord, namesPrivateHost } from '../../core/index.ts'
import { customerOf, turnOwnerOf } from '../access/guard.ts'
import { KnownProblems } from '../answer/known-problems.ts'
import type { Page } from '../answer/page.ts'
import { invalid, notFound } from '../answer/refusal.ts'
import { renderDocument } from '../answer/render.ts'
import { untrustedHeaders } from '../answer/untrusted.ts'
import type { WrittenLists } from '../answer/written-lists.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { jsonType } from '../request/failure.ts'
import { CheckedDocument, DocumentCheck, DocumentInput, HostedDocument } from '../schema/document.ts'
import { errors, openErrors } from '../schema/error.ts'
import { identifier, message, pageOf, paging, resource, searchOf } from '../schema/field.ts'

const maxDocumentBytes = 64 * 1024
const byUuid = Type.Object({ uuid: identifier("The document's uuid.") })
const answer = { ...resource(HostedDocument), description: 'The document.' }
const noSuch = () => notFound('There is no such document.')

/** Texts that a page takes from the database at a time. */
const readAtOnce = 16

const everywhere = () => false
const checking = (allowPrivate: boolean) => (body: string) =>
  checkDocument(Buffer.from(body), { refusesSip: allowPrivate ? everywhere : namesPrivateHost })
function checkSize(body: string): void {
  if (Buffer.byteLength(body) > maxDocumentBytes) throw invalid('body', 'must be at most 64 KB')
}

export function documentRoutes(app: Api, door: SwitchDoor, turns: WorkTurns, lists: WrittenLists): void {
  const { documents } = door.repositories
  const check = checking(door.settings.allowPrivateUrls)
  const known = new KnownProblems(body => check(body).problems)
  /** To check 64 KB takes milliseconds: each text has a turn of its own. */
  const rendered = async (request: FastifyRequest, document: HostedDocumentRecord) => {
    await turns.next(turnOwnerOf(request))
    return { ...renderDocument(document), problems: known.of(document.body) }
  }
  /** Two hundred documents are up to 80 MB of JSON: made one by one, as the reader takes them. */
  function page(
    request: FastifyRequest,
    account: AccountUuid,
    { limit, offset, search = '' }: Page & { readonly search?: string },
  ): Readable {
    let total = 0
    const rows = async function* () {
      for (let at = 0; at < limit; at += readAtOnce) {
        const range = { limit: Math.min(readAtOnce, limit - at), offset: offset + at, search: search.trim() }
        const found = await documents.list(account, range)
        total = found.total
        for (const row of found.rows) yield await rendered(request, row)
        if (found.rows.length < range.limit) break
      }
    }
    const tail = () => `],${JSON.stringify({ total, limit, offset }).slice(1)}`
    return lists.write(turnOwnerOf(request), { head: '{"documents":[', rows: rows(), tail })
  }
  const tags = ['documents']

  app.get('/documents/', {
    schema: {
      tags,
      summary: 'Hosted documents, newest first',
      querystring: Type.Object({ ...paging, search: searchOf('Any part of the name.') }),
      response: { 200: pageOf('documents', HostedDocument), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      return reply.type(jsonType).send(page(request, accountUuid, request.query))
    },
  })

  app.post('/documents/', {
    schema: {
      tags,
      summary: 'Host a document',
      description: 'It may have problems: they are reported, and matter only when it runs.',
      body: DocumentInput,
      response: { 201: answer, ...errors(400, 409, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      checkSize(request.body.body)
      const made = await documents.create(customerOf(request).accountUuid, request.body, Date.now())
      return reply.code(201).send(await rendered(request, made))
    },
  })

  app.post('/documents/check', {
    schema: {
      tags,
      summary: 'Check a document without hosting it',
      body: DocumentCheck,
      response: {
        200: { ...resource(CheckedDocument), description: 'What was found.' },
        ...errors(400, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      checkSize(request.body.body)
      await turns.next(turnOwnerOf(request))
      const { valid, problems } = check(request.body.body)
      return reply.send({ valid, problems })
    },
  })

  app.get('/documents/:uuid', {
    schema: { tags, summary: 'A hosted document', params: byUuid, response: { 200: answer, ...errors(404, 422) } },
    handler: async (request, reply) => {
      const found = await documents.get(customerOf(request).accountUuid, request.params.uuid)
      if (found === undefined) throw noSuch()
      return reply.send(await rendered(request, found))
    },
  })

  app.put('/documents/:uuid', {
    schema: {
      tags,
      summary: 'Change a hosted document',
      description: 'Its URL stays; calls that start from now on get the new text.',
      params: byUuid,
      body: DocumentInput,
      response: { 200: answer, ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      checkSize(request.body.body)
      const { accountUuid } = customerOf(request)
      const changed = await documents.change(accountUuid, request.params.uuid, request.body, Date.now())
      if (changed === undefined) throw noSuch()
      return reply.send(await rendered(request, changed))
    },
  })

  app.delete('/documents/:uuid', {
    schema: {
      tags,
      summary: 'Delete a hosted document',
      params: byUuid,
      response: { 200: message('Done.'), ...errors(404, 422) },
    },
    handler: async (request, reply) => {
      if (!(await documents.remove(customerOf(request).accountUuid, request.params.uuid))) throw noSuch()
      return reply.send({ message: 'The document is deleted.' })
    },
  })

  // The webhook URL itself, for every server that was given it. It cannot be guessed, so it needs no key.
  app.route({
    method: ['GET', 'POST'],
    url: '/hosted/:token',
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'The text of a hosted document',
      description: 'The switch itself reads it without HTTP, with its placeholders filled in.',
      params: Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) }),
      response: {
        200: {
          description: 'The document as it was written.',
          content: { 'application/xml': { schema: Type.String() } },
        },
        ...openErrors(400, 404, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const found = await documents.byToken(request.params.token)
      if (found === undefined) throw noSuch()
      return reply.type('application/xml; charset=utf-8').headers(untrustedHeaders).send(found.body)
    },
  })
}
