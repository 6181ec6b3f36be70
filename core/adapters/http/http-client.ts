import { setTimeout as sleep } from 'node:timers/promises'
import type { Dispatcher, errors } from 'undici'
import type { Latencies, Timed } from '../../metrics/latencies.ts'
import type { ConnectionFault } from '../../model/connection-fault.ts'
import { NameResolver } from '../names/index.ts'
import { connectionFaultOf } from './connection-fault-of.ts'
import { DamagedEncoding, decoded } from './content-encoding.ts'
import { closesWithinMs, type Origin } from './kept-origins.ts'
import type { AgentOptions, OwnAgents } from './own-agents.ts'
import { isPublicAddress } from './public-address.ts'
import { RefusedAddress, type ResolveHost, resolveBy } from './resolve-host.ts'
import { signatureHeaders } from './signature.ts'

/** Bounds of a webhook exchange (docs/api.md). */
const webhookTimeoutMs = 10_000
export const webhookMaxBytes = 64 * 1024

const maxDetailLength = 200
const defaultConnectionsPerOrigin = 256

type HttpFault = 'timeout' | 'too-large' | 'transport' | 'refused-address' | 'aborted'

export type HttpAnswer =
  | {
      readonly ok: true
      readonly status: number
      /** Empty when the server sent none. */
      readonly contentType: string
      readonly etag: string
      /** Where a redirect points, as sent; empty when it does not. */
      readonly location: string
      /** When the status was not wanted: its first `excerptBytes`, without that none. */
      readonly body: Uint8Array
    }
  | {
      readonly ok: false
      readonly fault: HttpFault
      /** What Node, OpenSSL or undici says. */
      readonly detail: string
      /** What that means, where it is known. */
      readonly cause?: ConnectionFault
    }

interface HttpRequest {
  /** The account whose request it is: accounts share no connections, and no places of the resolver. Default: the operator. */
  readonly owner?: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole exchange: resolving, connecting, sending, and reading the answer to its end. */
  readonly timeoutMs: number
  /** A longer answer is `too-large`; what a server compressed unasked counts as it was before. */
  readonly maxBytes: number
  /** The body of another status is not waited for, but for its first `excerptBytes`. */
  readonly wants: (status: number) => boolean
  /** Default: none. */
  readonly excerptBytes?: number
  /** Awaited with each piece of a body that is wanted; false is enough: the answer has what has come. */
  readonly eachPiece?: (piece: Uint8Array) => Promise<boolean>
  /** It does no harm when the server gets it twice. Default: a GET. */
  readonly isRepeatable?: boolean
  readonly signal?: AbortSignal
}

export interface SignedPost {
  /** As in `HttpRequest`. */
  readonly owner?: string
  /** As configured, in whatever spelling; the signature covers it so. */
  readonly url: string
  /** JSON. */
  readonly body: string
  readonly secret: string
  readonly unixSeconds: number
  /** Sent as X-Voice-Event. */
  readonly event?: string
  readonly wants: (status: number) => boolean
  /** As in `HttpRequest`. */
  readonly excerptBytes?: number
  /** Default 10 s. */
  readonly timeoutMs?: number
  /** Default 64 KB. */
  readonly maxBytes?: number
  /** As in `HttpRequest`. Default: no. */
  readonly isRepeatable?: boolean
  readonly signal?: AbortSignal
}

export interface HttpClientOptions {
  /** Private, loopback, link-local and other addresses that are not public may be reached. */
  readonly allowPrivateUrls: boolean
  /** An account's connections to one origin; what comes on top waits, within its own time. Default 256. */
  readonly connectionsPerOrigin?: number
  /** Default: what the system says (`NameResolver`). */
  readonly resolve?: ResolveHost
  /** Who observes the duration of each webhook, successful or not, and as what. */
  readonly timed?: { readonly as: Timed; readonly by: Pick<Latencies, 'observe'> }
}

/** So that the first call after a start does not wait for it. */
const openAfterMs = 700

/**
 * HTTP to servers of customers: public addresses only, redirects reported and not followed, the whole exchange within its time, answers
 * bounded. What goes wrong is a value; nothing throws.
 */
export class HttpClient {
  readonly #options: AgentOptions
  /** Opened by the first request, or a moment after the start: undici takes a tenth of a start, which needs no connection. */
  #agents: Promise<OwnAgents> | undefined
  readonly #timed: HttpClientOptions['timed']
  #isClosed = false

  constructor(options: HttpClientOptions) {
    this.#timed = options.timed
    this.#options = {
      connections: options.connectionsPerOrigin ?? defaultConnectionsPerOrigin,
      connectTimeoutMs: webhookTimeoutMs,
      may: address => options.allowPrivateUrls || isPublicAddress(address),
      resolve: options.resolve ?? resolveBy(new NameResolver()),
    }
    setTimeout(() => {
      if (!this.#isClosed) this.#agents ??= this.#openAgents()
    }, openAfterMs).unref()
  }

  /** A webhook: JSON, signed with the account's secret. */
  async signedPost(post: SignedPost): Promise<HttpAnswer> {
    const { url, body, event, wants, excerptBytes, isRepeatable, signal, owner } = post
    const begun = performance.now()
    const answer = await this.request({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/xml, text/xml, */*',
        ...(event === undefined ? {} : { 'x-voice-event': event }),
        ...signatureHeaders(url, body, post.secret, post.unixSeconds),
      },
      body,
      wants,
      timeoutMs: post.timeoutMs ?? webhookTimeoutMs,
      maxBytes: post.maxBytes ?? webhookMaxBytes,
      ...(excerptBytes === undefined ? {} : { excerptBytes }),
      ...(isRepeatable === undefined ? {} : { isRepeatable }),
      ...(signal === undefined ? {} : { signal }),
      ...(owner === undefined ? {} : { owner }),
    })
    this.#timed?.by.observe(this.#timed.as, performance.now() - begun)
    return answer
  }

  /** A file. `etag` is sent as If-None-Match; only a 200 has its body read. */
  get(
    url: string,
    options: {
      readonly maxBytes: number
      readonly timeoutMs: number
      readonly etag?: string
      readonly owner?: string
      /** As in `HttpRequest`. */
      readonly eachPiece?: HttpRequest['eachPiece']
    },
  ): Promise<HttpAnswer> {
    const { maxBytes, timeoutMs, etag, owner = '', eachPiece } = options
    const headers = { accept: '*/*', ...(etag === undefined || etag === '' ? {} : { 'if-none-match': etag }) }
    return this.request({
      owner,
      method: 'GET',
      url,
      headers,
      maxBytes,
      timeoutMs,
      wants: status => status === 200,
      ...(eachPiece === undefined ? {} : { eachPiece }),
    })
  }

  async request(request: HttpRequest): Promise<HttpAnswer> {
    const url = parseUrl(request.url)
    if (url === undefined) return fault('transport', 'not a URL')
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      return fault('refused-address', `${url.protocol} is neither http: nor https:`)
    }
    // Before the exchange, which has its time for itself.
    this.#agents ??= this.#openAgents()
    const agents = await this.#agents
    const exchange = new AbortController()
    let ended: HttpFault | undefined
    const end = (why: HttpFault) => {
      ended ??= why
      exchange.abort()
    }
    const timer = setTimeout(() => end('timeout'), request.timeoutMs)
    const abandon = () => end('aborted')
    if (request.signal?.aborted === true) abandon()
    request.signal?.addEventListener('abort', abandon, { once: true })
    const close = () => {
      clearTimeout(timer)
      request.signal?.removeEventListener('abort', abandon)
    }
    try {
      const response = await send(agents, url, request, exchange.signal)
      const answer = await readAnswer(response, request, exchange.signal, close)
      agents.of(request.owner ?? '').origins.of(url.origin).answeredAt = performance.now()
      if (!answer.ok) close()
      return answer
    } catch (cause) {
      close()
      if (ended !== undefined) return fault(ended, ended === 'timeout' ? `more than ${request.timeoutMs} ms` : '')
      return faultOf(cause)
    }
  }

  /** Ends what runs and closes every connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#agents)?.close()
  }

  async #openAgents(): Promise<OwnAgents> {
    const { OwnAgents } = await import('./own-agents.ts')
    const agents = new OwnAgents(this.#options)
    if (this.#isClosed) await agents.close()
    return agents
  }
}

async function send(
  ownAgents: OwnAgents,
  url: URL,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const options: Dispatcher.RequestOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { 'user-agent': 'Sauti', 'accept-encoding': 'identity', ...credentialsOf(url), ...request.headers },
    body: request.body ?? null,
    signal,
  }
  const agents = ownAgents.of(request.owner ?? '')
  const { isRepeatable = request.method === 'GET' } = request
  // A POST may have been acted upon before the connection closed: it is not sent again by itself (RFC 9110 §9.2.2).
  if (!isRepeatable) return await sendOnce(agents.keptBriefly, agents.origins.of(url.origin), options, signal)
  try {
    return await agents.kept.request(options)
  } catch (cause) {
    // A connection that had served before was closed by the server just as it was used again: the request goes once
    // more, over a new one.
    if (!isSocketError(cause) || (cause.socket?.bytesRead ?? 0) === 0) throw cause
    return await agents.fresh.request(options)
  }
}

/** Not over a connection that the server may just be closing. */
async function sendOnce(
  agent: Dispatcher,
  origin: Origin,
  options: Dispatcher.RequestOptions,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const waitMs = closesWithinMs(origin, performance.now())
  if (waitMs > 0) await sleep(waitMs, undefined, { signal })
  const { connects } = origin
  try {
    const response = await agent.request(options)
    if (origin.connects === connects) origin.isKept = true
    return response
  } catch (cause) {
    origin.isKept = false
    throw cause
  }
}

const fault = (kind: HttpFault, detail: string, cause?: ConnectionFault): HttpAnswer => ({
  ok: false,
  fault: kind,
  detail: detail.slice(0, maxDetailLength),
  ...(cause && { cause }),
})

function faultOf(cause: unknown): HttpAnswer {
  for (let each: unknown = cause; each instanceof Error; each = each.cause) {
    if (each instanceof RefusedAddress) return fault('refused-address', each.message)
  }
  if (cause instanceof DamagedEncoding) return fault('transport', cause.message)
  const known = connectionFaultOf(cause)
  if (hasCode(cause, 'UND_ERR_CONNECT_TIMEOUT')) return fault('timeout', cause.message, known)
  return fault('transport', cause instanceof Error ? cause.message : String(cause), known)
}

// By their codes: the classes of undici's errors would load it.
const hasCode = (cause: unknown, code: string): cause is Error =>
  cause instanceof Error && 'code' in cause && cause.code === code
const isSocketError = (cause: unknown): cause is errors.SocketError => hasCode(cause, 'UND_ERR_SOCKET')

const parseUrl = (text: string): URL | undefined => URL.parse(text) ?? undefined

/** `https://user:password@host/` asks for basic authentication. */
function credentialsOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {}
  const plain = `${decode(url.username)}:${decode(url.password)}`
  return { authorization: `Basic ${Buffer.from(plain, 'utf8').toString('base64')}` }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {})
  body.destroy()
}

/** What can be read of it: an answer that breaks off, or takes too long, has said its status all the same. */
async function firstBytes(body: Dispatcher.ResponseData['body'], encoding: string, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const isPlain = ['', 'identity'].includes(encoding.trim().toLowerCase())
  try {
    if (isPlain) {
      for await (const chunk of body) {
        chunks.push(chunk)
        length += chunk.length
        if (length >= most) break
      }
    }
  } catch {
    // What came before stands.
  }
  discard(body)
  return Buffer.concat(chunks, length).subarray(0, most)
}

async function readAnswer(
  response: Dispatcher.ResponseData,
  request: HttpRequest,
  signal: AbortSignal,
  close: () => void,
): Promise<HttpAnswer> {
  const { statusCode: status, headers, body } = response
  const first = (name: string) => [headers[name]].flat()[0] ?? ''
  const answer = {
    ok: true,
    status,
    contentType: first('content-type'),
    etag: first('etag'),
    location: first('location'),
  } as const
  if (!request.wants(status) && request.excerptBytes !== undefined) {
    const excerpt = await firstBytes(body, first('content-encoding'), request.excerptBytes)
    close()
    return { ...answer, body: excerpt }
  }
  if (!request.wants(status)) {
    // Read away after the answer, for the connection's sake, within the same bounds.
    void body.dump({ limit: webhookMaxBytes, signal }).then(close, close)
    return { ...answer, body: new Uint8Array() }
  }
  const announced = Number(first('content-length'))
  const chunks: Uint8Array[] = []
  let length = 0
  const encoding = first('content-encoding').trim().toLowerCase()
  const isPlain = encoding === '' || encoding === 'identity'
  const plain = isPlain ? body : decoded(body, encoding)
  if (plain === undefined) {
    discard(body)
    return fault('transport', `the server sent it encoded as ${encoding.slice(0, 40)}, which was not asked for`)
  }
  if (announced <= request.maxBytes || Number.isNaN(announced)) {
    for await (const chunk of plain) {
      length += chunk.length
      if (length > request.maxBytes) break
      chunks.push(chunk)
      if ((await request.eachPiece?.(chunk)) !== false) continue
      discard(body)
      break
    }
  }
  if (length > request.maxBytes || announced > request.maxBytes) {
    discard(body)
    return fault('too-large', `more than ${request.maxBytes} bytes`)
  }
  close()
  return { ...answer, body: Buffer.concat(chunks, length) }
}
