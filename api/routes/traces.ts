import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type AccountUuid,
  type CallRecord,
  drawLadder,
  FairQueue,
  type Sid,
  type TraceAnswer,
  type TraceQuery,
  type TraceReader,
  traceJson,
  traceOfRecord,
} from '../../core/index.ts'
import { customerOf, isOperator, turnOwnerOf } from '../access/guard.ts'
import { notFound, Refusal } from '../answer/refusal.ts'
import type { WrittenLists } from '../answer/written-lists.ts'
import type { SwitchDoor } from '../base/door.ts'
import type { Api } from '../base/fastify.ts'
import { errors } from '../schema/error.ts'
import { choice, identifier, resource } from '../schema/field.ts'
import { CallTrace, TraceQuerystring } from '../schema/trace.ts'

const config = { access: 'either' } as const
const tags = ['calls']
const pcapngType = 'application/x-pcapng'
const wholeFile = { form: 'pcapng', after: 0, limit: Number.MAX_SAFE_INTEGER, columns: 0 } as const
const audio = Type.Optional(choice(['true', 'false'], '`true`: with the audio that an operator had captured.'))
const packets = Type.String({ format: 'binary', description: 'A pcapng file.' })
const params = Type.Object({ uuid: identifier("The call's uuid, or its sid.") })

/** What the flight recorder has kept of a call. */
/** One thread reads traces, a page of at most 2 MB after the other: of one reader one at a time. */
const readLimits = { width: 2, widthPerOwner: 1, maxWaiting: 1000, maxWaitingPerOwner: 32 }
/** A longer answer counts among those that its reader has not taken yet. */
const smallBytes = 64 * 1024

export function traceRoutes(app: Api, door: SwitchDoor, lists: WrittenLists): void {
  const reads = new FairQueue(readLimits)
  const inTurn = <Found>(request: FastifyRequest, read: () => Promise<Found>): Promise<Found> =>
    reads.run(turnOwnerOf(request), read)
  const sendable = (request: FastifyRequest, bytes: Uint8Array): Buffer | Readable =>
    bytes.length <= smallBytes
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      : lists.whole(turnOwnerOf(request), bytes)

  const readerOf = (request: FastifyRequest): TraceReader => (isOperator(request) ? 'operator' : 'customer')

  const bodyFor = async (
    request: FastifyRequest,
    id: string,
    query: Omit<TraceQuery, 'reader'>,
  ): Promise<Uint8Array> => {
    const reader = readerOf(request)
    const found = await door.traces?.read(id, { ...query, reader })
    if (found !== undefined && (reader === 'operator' || found.account === customerOf(request).accountUuid))
      return found.isOver || found.account === ''
        ? found.body
        : ((await endedSince(id, query, reader, found)) ?? found.body)
    // Not kept, or another account's: the call's own record says at least why it ended.
    const record = reader === 'operator' ? undefined : await recordOf(door, customerOf(request).accountUuid, id)
    if (record === undefined) throw notFound('There is no such call.')
    const trace = traceOfRecord(record)
    return Buffer.from(query.form === 'json' ? JSON.stringify(traceJson(trace)) : drawLadder(trace, query.columns))
  }

  /** The switch was stopped in mid-call: how that ended only its row knows. */
  const endedSince = async (
    id: string,
    query: Omit<TraceQuery, 'reader'>,
    reader: TraceReader,
    found: TraceAnswer,
  ): Promise<Uint8Array | undefined> => {
    const record = await recordOf(door, found.account as AccountUuid, id)
    if (record === undefined || record.endedUnix === null || record.reasonCode === '') return undefined
    const { reasonCode, status } = record
    return (await door.traces?.read(id, { ...query, reader, ended: { reasonCode, status } }))?.body
  }

  const sendPcapng = async (request: FastifyRequest, reply: FastifyReply, id: string, audio: boolean) => {
    const reader = readerOf(request)
    if (reader === 'customer' && audio) throw new Refusal(403, 'Only the operator can export audio.')
    const found = await inTurn(request, async () => door.traces?.read(id, { ...wholeFile, audio, reader }))
    if (found === undefined || (reader === 'customer' && found.account !== customerOf(request).accountUuid))
      throw notFound('There is no such call, or its trace is no longer kept.')
    return reply
      .type(pcapngType)
      .header('content-disposition', `attachment; filename="${id.replace(/[^\w-]/g, '')}.pcapng"`)
      .send(sendable(request, found.body))
  }

  app.get('/calls/:uuid/trace', {
    config,
    schema: {
      tags,
      summary: 'All that happened in a call',
      description:
        'SIP messages, documents, verbs, prompts, digits, bridges, RTP once a second, webhooks, money, and why it ended. An account sees its own side: no addresses, names or credentials of carriers. The operator key sees all of it.',
      params,
      querystring: TraceQuerystring,
      response: {
        200: {
          description: 'The trace, or a page of it.',
          content: {
            'application/json': { schema: resource(CallTrace) },
            'text/plain': { schema: Type.String() },
            [pcapngType]: { schema: packets },
          },
        },
        ...errors(403, 404, 422),
      },
    },
    handler: async (request, reply) => {
      const { format = 'json', columns, ...page } = request.query
      const { uuid } = request.params
      if (format === 'pcapng') return sendPcapng(request, reply, uuid, false)
      const body = await inTurn(request, () => bodyFor(request, uuid, { ...page, form: format, columns }))
      return reply
        .type(format === 'json' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')
        .send(sendable(request, body))
    },
  })

  app.get('/calls/:uuid/trace.pcapng', {
    config,
    schema: {
      tags,
      summary: 'The packets of a call, for Wireshark',
      description:
        'SIP without credentials, headers of RTP where they were captured, digits as telephone-events. An account has its own calls: legs to carriers between made-up addresses (192.0.2.0/24), without names and words of the carrier. The operator has all addresses, and with `audio=true` also the audio, where `POST /operator/captures` had it captured.',
      params,
      querystring: Type.Object({ audio }),
      response: {
        200: {
          description: 'A pcapng file.',
          content: { [pcapngType]: { schema: packets } },
        },
        ...errors(403, 404, 422),
      },
    },
    handler: async (request, reply) => sendPcapng(request, reply, request.params.uuid, request.query.audio === 'true'),
  })
}

/** By uuid, else by sid. */
async function recordOf(door: SwitchDoor, account: AccountUuid, id: string): Promise<CallRecord | undefined> {
  const found = await door.calls.get(account, id)
  return found ?? (await door.calls.list(account, { sid: id as Sid, limit: 1, offset: 0 })).calls[0]
}
