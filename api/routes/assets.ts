import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { inspectAudio } from '../../core/index.ts'
import { customerOf } from '../access/guard.ts'
import { pageAnswer } from '../answer/page.ts'
import { forbidsWrite, hasConditions, tagOf } from '../answer/preconditions.ts'
import { invalid, notFound, preconditionFailed, Refusal } from '../answer/refusal.ts'
import { renderAsset } from '../answer/render.ts'
import { untrustedHeaders } from '../answer/untrusted.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { announcedBytes, piecesOf, refuseLong } from '../request/body-reader.ts'
import { sendFile } from '../request/send-file.ts'
import { Asset, Slug } from '../schema/asset.ts'
import { errors } from '../schema/error.ts'
import { message, Paging, pageOf, resource } from '../schema/field.ts'

/** What Play takes at most. */
const maxAssetBytes = 20 * 1024 * 1024
const contentTypes: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg', ogg: 'audio/ogg' }
const content = Object.fromEntries(
  Object.values(contentTypes).map(type => [type, { schema: Type.String({ contentMediaType: type }) }]),
)
const noSuch = () => notFound('There is no such asset.')
const isEmpty = () => invalid('body', 'must be the bytes of an audio file')

/** One URL for the audio of every account: a browser keeps it, and asks before each use whether it is still its own. */
const ownersHeaders = { 'cache-control': 'private, no-cache', vary: 'cookie, authorization' }

const etagHeader = { ETag: Type.String({ description: 'What If-Match takes.', examples: ['"13il-mf3k2q9c"'] }) }

/** What the conditions are held against; undefined: there is none. */
type StoredFile = { readonly size: number; readonly modifiedMs: number } | undefined

/** Throws 412 where the conditions of the request forbid to replace or to delete the file. */
const mayChange = (headers: IncomingHttpHeaders) => (old: StoredFile) => {
  const now = old && { tag: tagOf(old.size, old.modifiedMs), modifiedMs: old.modifiedMs }
  if (forbidsWrite(headers, now)) throw preconditionFailed()
}

export async function assetRoutes(app: Api, door: SwitchDoor, turns: WorkTurns): Promise<void> {
  const { assets } = door.repositories
  const tags = ['assets']

  app.get('/assets/', {
    schema: {
      tags,
      summary: 'Assets, newest first',
      querystring: Paging,
      response: { 200: pageOf('assets', Asset), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { rows, total } = await assets.list(customerOf(request).accountUuid, request.query)
      return reply.send(pageAnswer('assets', rows.map(renderAsset), total, request.query))
    },
  })

  app.get('/assets/:slug', {
    schema: {
      tags,
      summary: 'The audio itself',
      params: Slug,
      description: 'Takes Range with one range of bytes, and conditions (If-None-Match and the like).',
      response: {
        200: { description: 'The bytes that were uploaded.', content },
        206: { description: 'The part that Range asks for.', content },
        304: Type.Null({ description: 'It is still as the conditions of the request know it.' }),
        ...errors(404, 412, 416, 422),
      },
    },
    handler: async (request, reply) => {
      const found = await assets.find(customerOf(request).accountUuid, request.params.slug)
      if (found === undefined) throw noSuch()
      const type = contentTypes[found.mediaFormat] ?? 'application/octet-stream'
      return sendFile(request, reply, {
        path: assets.fileOf(found),
        turns,
        headers: { 'content-type': type, ...untrustedHeaders, ...ownersHeaders },
      })
    },
  })

  app.delete('/assets/:slug', {
    schema: {
      tags,
      summary: 'Delete an asset',
      description: 'On conditions (If-Match with the ETag of GET or PUT, and the like) only where they hold: else 412.',
      params: Slug,
      response: { 200: message('Done.'), ...errors(404, 412, 422) },
    },
    handler: async (request, reply) => {
      const { accountUuid } = customerOf(request)
      const mayRemove = hasConditions(request.headers) ? mayChange(request.headers) : undefined
      if (!(await assets.remove(accountUuid, request.params.slug, mayRemove))) throw noSuch()
      return reply.send({ message: 'The asset is deleted.' })
    },
  })

  await app.register(async scope => {
    // Here a body is audio, whatever its Content-Type says: the bytes themselves decide.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_request: unknown, body: unknown) => body)
    scope.put('/assets/:slug', {
      bodyLimit: maxAssetBytes,
      schema: {
        tags,
        summary: 'Upload or replace an asset',
        description:
          'A WAV, MP3 or Ogg Opus file of at most 20 MB and an hour. What plays the old one at that moment hears it to its end. If-Match with the ETag of GET or of the last PUT, or If-None-Match: * for what is new, keeps one upload from replacing another: 412.',
        consumes: ['audio/wav', 'audio/mpeg', 'audio/ogg', 'application/octet-stream'],
        params: Slug,
        body: Type.Unsafe<unknown>({ description: 'The bytes of the file.', contentEncoding: 'binary' }),
        response: {
          201: { ...resource(Asset), description: 'The asset.', headers: etagHeader },
          ...errors(409, 412, 413, 415, 422),
        },
      },
      handler: async (request, reply) => {
        const { accountUuid } = customerOf(request)
        const { slug } = request.params as { slug: string }
        const { body } = request
        if (!(body instanceof Readable) || announcedBytes(request) === 0) throw isEmpty()
        refuseLong(request, maxAssetBytes)
        const announced = announcedBytes(request) ?? 0
        const asset = await assets.receive(accountUuid, slug, announced, Date.now(), async upload => {
          await upload.onlyIf(mayChange(request.headers))
          for await (const piece of piecesOf(request, body, maxAssetBytes, turns)) await upload.write(piece)
          if (upload.length === 0) throw isEmpty()
          const found = await inspectAudio(await upload.bytes(), accountUuid)
          if (found.ok) return found
          if (found.code === 'PLAY.0415') throw new Refusal(415, `The asset cannot be played: ${found.detail}.`)
          throw invalid('body', `cannot be played: ${found.detail}`)
        })
        // RFC 9110 §9.3.4: a validator may be sent, as the bytes are stored as they came.
        reply.header('etag', tagOf(asset.sizeBytes, asset.modifiedMs))
        return reply.code(201).send(renderAsset(asset))
      },
    })
  })
}
