import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { turnOwnerOf } from '../access/guard.ts'
import { parseRange } from '../answer/byte-range.ts'
import { failedPrecondition, tagOf } from '../answer/preconditions.ts'
import { notFound, preconditionFailed, Refusal } from '../answer/refusal.ts'
import type { WorkTurns } from '../base/work-turns.ts'

/** What is sent, and the headers that go with its bytes. */
interface SentFile {
  readonly path: string
  /** Each piece of the file is read in a turn. */
  readonly turns: WorkTurns
  readonly headers: Readonly<Record<string, string>>
  /** What is sent when nothing is at the path. */
  readonly elsewhere?: SentBytes | undefined
}

/** Bytes that are somewhere else than in a file of this machine. */
export interface SentBytes {
  readonly size: number
  readonly modifiedMs: number
  /** Undefined: they are not there. */
  read(first: number, last: number): Promise<Readable | undefined>
}

/**
 * The bytes of a file, or the part that Range asks for; of HEAD only the headers; 304 and 412 as the conditions say. 404 when there is no such file. One that
 * is deleted meanwhile is sent to its end.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, headers, turns, elsewhere }: SentFile,
): Promise<FastifyReply> {
  const file = await openFile(path)
  if (file === undefined) {
    if (elsewhere === undefined) throw missing()
    return sendBytes(request, reply, elsewhere, { headers, turns })
  }
  let isStreaming = false
  try {
    const facts = await file.stat()
    if (!facts.isFile()) throw missing()
    const read = (first: number, last: number) => {
      isStreaming = true
      return Promise.resolve(file.createReadStream({ start: first, end: last }))
    }
    return await sendBytes(request, reply, { size: facts.size, modifiedMs: facts.mtimeMs, read }, { headers, turns })
  } finally {
    if (!isStreaming) await file.close()
  }
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, modifiedMs, read }: SentBytes,
  { headers, turns }: Pick<SentFile, 'headers' | 'turns'>,
): Promise<FastifyReply> {
  const tag = tagOf(size, modifiedMs)
  const validators = { etag: tag, 'last-modified': new Date(modifiedMs).toUTCString() }
  const failed = failedPrecondition(request.headers, { tag, modifiedMs })
  if (failed === 304)
    return reply
      .code(304)
      .headers({ ...headers, ...validators })
      .removeHeader('content-type')
      .send()
  if (failed === 412) throw preconditionFailed()
  const range = parseRange(isRangeWanted(request, tag) ? request.headers.range : undefined, size)
  if (range === 'unsatisfiable') {
    throw new Refusal(416, `The range is outside of the ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' },
    })
  }
  const { first, last } = range ?? { first: 0, last: size - 1 }
  const isEmpty = request.method === 'HEAD' || last < first
  const pieces = isEmpty ? undefined : await read(first, last)
  if (!isEmpty && pieces === undefined) throw missing()
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`)
  reply.headers({
    ...headers,
    'accept-ranges': 'bytes',
    ...validators,
    'content-length': last - first + 1,
  })
  if (pieces === undefined) return reply.send()
  const sent = Readable.from(inTurns(pieces, turnOwnerOf(request), turns))
  // A client that has gone before the first piece leaves no open file.
  sent.once('close', () => pieces.destroy())
  return reply.send(sent)
}

async function* inTurns(pieces: Readable, owner: string, turns: WorkTurns): AsyncGenerator<Buffer, void, undefined> {
  for await (const piece of pieces) {
    await turns.nextBytes(owner, (piece as Buffer).length)
    yield piece as Buffer
  }
}

const missing = () => notFound('The file is missing.')

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    // No link is followed: what is under the name itself is the recording, or nothing is.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (fault) {
    const { code } = fault as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP') return undefined
    throw fault
  }
}

/** Range is of GET alone (RFC 9110 §14.2), and a part is only of use beside parts of the same file (§13.1.5). */
const isRangeWanted = (request: FastifyRequest, tag: string): boolean => {
  const condition = request.headers['if-range']
  return request.method === 'GET' && (condition === undefined || condition === tag)
}
