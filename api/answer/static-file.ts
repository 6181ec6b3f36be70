import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const asGzip = promisify(gzip)
const asBrotli = promisify(brotliCompress)

/** Smaller ones gain nothing. */
const leastCompressedBytes = 1024

/** Of what is compressed while somebody waits: measured a tenth larger than the highest, in a hundredth of the time. */
const brotliQuality = 5

type Encoding = 'br' | 'gzip'
/** What was compressed before, by `npm run build`. */
export interface Compressed {
  readonly br?: Buffer
}

/**
 * A file that every client gets alike: with an ETag (RFC 9110 §8.8.3), so that a client asks again for 304 only, and
 * compressed as the client takes it. A form that was not made before is made once, off the signalling thread.
 */
export class StaticFile {
  readonly #bytes: Buffer
  readonly #etag: string
  readonly #cacheControl: string
  readonly #vary: string
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  /**
   * `isImmutable`: the name of the file changes with its content, so a client that has it asks no more (RFC 8246).
   * `variesBy`: another header of the request by which the route chooses among files.
   */
  constructor(bytes: Buffer, { br }: Compressed = {}, { isImmutable = false, variesBy = '' } = {}) {
    this.#bytes = bytes
    this.#vary = variesBy === '' ? 'accept-encoding' : `accept-encoding, ${variesBy}`
    this.#cacheControl = isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
    if (br !== undefined) this.#compressed.set('br', Promise.resolve(br))
    this.#etag = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  }

  /** Headers such as the type and the policy are the route's. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const encoding = this.#bytes.length < leastCompressedBytes ? undefined : encodingOf(request)
    // A form of its own has an ETag of its own (RFC 9110 §8.8.3.3).
    const etag = `"${this.#etag}${encoding === undefined ? '' : `-${encoding}`}"`
    reply.header('etag', etag).header('vary', this.#vary).header('cache-control', this.#cacheControl)
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (encoding === undefined) return reply.send(this.#bytes)
    return reply.header('content-encoding', encoding).send(await this.#as(encoding))
  }

  #as(encoding: Encoding): Promise<Buffer> {
    const made = this.#compressed.get(encoding) ?? compress(this.#bytes, encoding)
    this.#compressed.set(encoding, made)
    return made
  }
}

const compress = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? asBrotli(bytes, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        },
      })
    : asGzip(bytes, { level: constants.Z_BEST_COMPRESSION })

/** RFC 9110 §12.5.3: what the client names without `q=0`; brotli first, which is smaller. */
function encodingOf(request: FastifyRequest): Encoding | undefined {
  const taken = new Map(
    (request.headers['accept-encoding'] ?? '').split(',').map(entry => {
      const [name = '', ...parameters] = entry.trim().toLowerCase().split(';')
      return [name.trim(), !parameters.some(parameter => /^\s*q=0(\.0*)?\s*$/.test(parameter))]
    }),
  )
  return (['br', 'gzip'] as const).find(name => taken.get(name) ?? taken.get('*') ?? false)
}

const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(entry => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag) ?? false
