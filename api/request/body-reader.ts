import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { turnOwnerOf } from '../access/guard.ts'
import { Refusal } from '../answer/refusal.ts'
import type { Api } from '../base/fastify.ts'
import type { WorkTurns } from '../base/work-turns.ts'
import { closeAfterBody } from './late-close.ts'

/** What fits is read at once; of what follows, a piece of at most this in a turn of the event loop. */
const pieceBytes = 64 * 1024

/** The length that the client announces; undefined: it sends chunks (RFC 9112 §7.1). */
export function announcedBytes({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const text = headers['content-length']
  return text === undefined ? undefined : Number(text)
}

const tooLarge = (limit: number) => new Refusal(413, `The body is larger than ${limit} bytes.`)
const cutShort = () => new Refusal(400, 'The body is not as long as Content-Length says.')

/** 413 for a body that is announced as longer than its route takes: nothing of it is read. */
export function refuseLong(request: FastifyRequest, limit: number): void {
  if ((announcedBytes(request) ?? 0) > limit) throw tooLarge(limit)
}

/**
 * The pieces of a body, as they come. The next one is read when the consumer asks for it, at the account's turn: until then
 * the client waits (TCP's window), so that neither memory nor the event loop fills up with data that waits.
 */
export async function* piecesOf(
  request: FastifyRequest,
  body: Readable,
  limit: number,
  turns: WorkTurns,
): AsyncGenerator<Buffer, void, undefined> {
  refuseLong(request, limit)
  const owner = turnOwnerOf(request)
  const announced = announcedBytes(request)
  let length = 0
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      const bytes = piece as Buffer
      length += bytes.length
      if (length > limit) throw tooLarge(limit)
      yield bytes
      if (length >= pieceBytes) await turns.nextBytes(owner, bytes.length)
    }
  } catch (fault) {
    if (fault instanceof Refusal || !isOfClient(fault)) throw fault
    throw cutShort()
  }
  if (announced !== undefined && announced !== length) throw cutShort()
}

export async function readBody(request: FastifyRequest, body: Readable, turns: WorkTurns): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of piecesOf(request, body, request.routeOptions.bodyLimit, turns)) pieces.push(piece)
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

/** The client has gone before its body was whole. */
const isOfClient = (fault: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(
    (fault as NodeJS.ErrnoException | undefined)?.code ?? '',
  )

/**
 * Node drops the rest of a refused body as fast as it comes; a long one is dropped in turns, as it would be read. The
 * connection does not end before that.
 */
export function dropBodies(app: Api, turns: WorkTurns): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    const { raw } = request
    const announced = announcedBytes(request)
    const isChunked = announced === undefined && request.headers['transfer-encoding'] !== undefined
    if ((isChunked || (announced ?? 0) > 0) && !raw.complete) closeAfterBody(raw)
    const isLong = isChunked || (announced ?? 0) > pieceBytes
    if (isLong && !raw.readableEnded && !raw.destroyed) void drop(request, raw, turns)
    return payload
  })
}

async function drop(request: FastifyRequest, body: IncomingMessage, turns: WorkTurns): Promise<void> {
  const owner = turnOwnerOf(request)
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      await turns.nextBytes(owner, (piece as Buffer).length)
    }
  } catch {
    // The client has gone: there is nothing more to drop.
  }
}
