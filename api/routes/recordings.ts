import { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { type RecordingRecord, recordingResource, storedOf } from '../../core/index.ts'
import { customerOf } from '../access/guard.ts'
import { notFound, Refusal } from '../answer/refusal.ts'
import { untrustedAudioHeaders } from '../answer/untrusted.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { type SentBytes, sendFile } from '../request/send-file.ts'
import { errors, openErrors } from '../schema/error.ts'
import { byUuid, listOf, message, resource } from '../schema/field.ts'
import { DownloadLink, DownloadOrder, defaultLinkSeconds, Recording, RecordingFilter } from '../schema/recording.ts'

const contentTypes = { wav: 'audio/wav', ogg: 'audio/ogg' } as const
const retryLater = { 'retry-after': '5' }
const noSuch = () => notFound('There is no such recording.')
const gone = () => new Refusal(410, 'The recording is deleted.')
// One text for expired and altered: no oracle.
const badLink = () => new Refusal(403, 'The link has expired or was altered.')

/** Where a program keeps ended recordings itself. */
function storedBytes({ recordingStorage: storage, log }: SwitchDoor, record: RecordingRecord): SentBytes | undefined {
  const stored = storedOf(record)
  if (storage === undefined || stored === undefined) return undefined
  const read = async (first: number, last: number) => {
    try {
      const audio = await storage.get(stored, { first, last })
      return audio && Readable.from(audio, { objectMode: false })
    } catch (fault) {
      log.error({ recording: stored.uuid, detail: String(fault).slice(0, 400) }, 'the storage gave no recording')
      throw new Refusal(503, 'The recording storage does not answer: try again later.', { headers: retryLater })
    }
  }
  return { size: stored.sizeBytes, modifiedMs: stored.createdUnix + stored.durationMs, read }
}

export function recordingRoutes(app: Api, door: SwitchDoor, turns: WorkTurns): void {
  const { recordings, recordingLinks } = door.repositories
  const tags = ['recordings']

  app.get('/recordings/', {
    schema: {
      tags,
      summary: 'Recordings, newest first',
      querystring: RecordingFilter,
      response: { 200: listOf(Recording, 'Without those that are deleted or expired.'), ...errors(422) },
    },
    handler: async (request, reply) => {
      const { limit, offset, call_uuid: callUuid, numbers } = request.query
      const filter = { limit, offset, ...(callUuid === undefined ? {} : { callUuid }) }
      const { accountUuid } = customerOf(request)
      const rows = await recordings.list(accountUuid, filter, Date.now())
      if (numbers !== 'true') return reply.send(rows.map(recordingResource))
      const calls = await recordings.parties(accountUuid, [...new Set(rows.map(row => row.callUuid))])
      const of = new Map(
        calls.map(({ callUuid, fromNumber, toNumber }) => [callUuid, { from_number: fromNumber, to_number: toNumber }]),
      )
      return reply.send(rows.map(row => ({ ...recordingResource(row), ...of.get(row.callUuid) })))
    },
  })

  app.post('/recordings/download', {
    schema: {
      tags,
      summary: 'A link to the audio',
      body: DownloadOrder,
      response: {
        200: { ...resource(DownloadLink), description: 'The link.' },
        ...errors(400, 404, 410, 413, 415, 422),
      },
    },
    handler: async (request, reply) => {
      const { uuid, ttl_seconds: ttl = defaultLinkSeconds } = request.body
      const unixMs = Date.now()
      const found = await recordings.find(customerOf(request).accountUuid, uuid, unixMs)
      if (found === undefined) throw noSuch()
      if (found.isGone) throw gone()
      const proof = recordingLinks.sign(uuid, unixMs + ttl * 1000)
      const url = `${door.settings.publicUrl}/recordings/files/${uuid}?${new URLSearchParams({ ...proof })}`
      return reply.header('cache-control', 'no-store').send({ url, expires_in: ttl })
    },
  })

  app.post('/recordings/delete', {
    schema: {
      tags,
      summary: 'Delete a recording',
      description: 'It can no longer be listed or downloaded; links that were given out stop working at once.',
      body: byUuid('recording'),
      response: { 200: message('Done.'), ...errors(400, 404, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      if (!(await recordings.remove(customerOf(request).accountUuid, request.body.uuid, Date.now()))) throw noSuch()
      return reply.send({ message: 'The recording is deleted.' })
    },
  })

  const audio = Object.fromEntries(
    Object.values(contentTypes).map(type => [type, { schema: Type.String({ contentMediaType: type }) }]),
  )
  app.route({
    method: ['GET', 'HEAD'],
    url: '/recordings/files/:uuid',
    config: { access: 'open' },
    schema: {
      tags,
      summary: 'The audio of a recording, by a signed link',
      description: 'Takes Range with one range of bytes, and conditions (If-None-Match and the like).',
      params: Type.Object({ uuid: Type.String({ maxLength: 256 }) }),
      // Whatever else is there is an altered link, so nothing of it is a 422.
      querystring: Type.Object({
        expires: Type.Optional(Type.Unknown({ description: 'As the link has it.' })),
        signature: Type.Optional(Type.Unknown({ description: 'As the link has it.' })),
      }),
      response: {
        200: { description: 'The whole file.', content: audio },
        206: { description: 'The part that Range asks for.', content: audio },
        304: Type.Null({ description: 'It is still as the conditions of the request know it.' }),
        ...openErrors(403, 404, 410, 412, 416, 503),
      },
    },
    handler: async (request, reply) => {
      const unixMs = Date.now()
      const { uuid } = request.params
      const { expires, signature, ...others } = request.query
      if (typeof expires !== 'string' || typeof signature !== 'string' || Object.keys(others).length > 0)
        throw badLink()
      if (!recordingLinks.isValid(uuid, { expires, signature }, unixMs)) throw badLink()
      const found = await recordings.get(uuid, unixMs)
      if (found === undefined) throw noSuch()
      if (found.isGone) throw gone()
      const { mediaFormat, callSid } = found.record
      const path = recordings.fileOf(found.record)
      if (path === undefined) throw noSuch()
      const headers = {
        'content-type': contentTypes[mediaFormat],
        'content-disposition': `inline; filename="${callSid}-${uuid}.${mediaFormat}"`,
        'cache-control': 'private, no-store',
        ...untrustedAudioHeaders,
      }
      return sendFile(request, reply, { path, turns, headers, elsewhere: storedBytes(door, found.record) })
    },
  })
}
