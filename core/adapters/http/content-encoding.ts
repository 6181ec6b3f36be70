import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The body is not what its Content-Encoding says. */
export class DamagedEncoding extends Error {
  override readonly name = 'DamagedEncoding'
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/**
 * A body as it was before its server encoded it (RFC 9110 §8.4), which some do unasked; undefined for an encoding that is
 * not known. Reading it rejects with `DamagedEncoding`, or with what happened to the body. Who stops reading ends both.
 */
export function decoded(body: Readable, encoding: string): AsyncIterable<Uint8Array> | undefined {
  const create = Object.hasOwn(decoders, encoding) ? decoders[encoding as keyof typeof decoders] : undefined
  return create === undefined ? undefined : readThrough(body, create(), encoding)
}

async function* readThrough(
  body: Readable,
  decoder: ReturnType<typeof createGunzip>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  let failed: unknown
  body.once('error', error => {
    failed = error
  })
  const out = pipeline(body, decoder, () => {})
  try {
    yield* out as AsyncIterable<Uint8Array>
  } catch (error) {
    throw failed ?? new DamagedEncoding(`what the server sent as ${encoding} is not`, { cause: error })
  }
}
