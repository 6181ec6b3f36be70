import { createHmac, timingSafeEqual } from 'node:crypto'

/** A webhook request as it came in. Fits `IncomingMessage` with its body read, and the fetch API's `Request`. */
export interface SignedRequest {
  /** The URL exactly as it was configured at the switch, or stands in the document, with host and query; of a relative one what it leads to. */
  readonly url: string
  /** Header names in any case; `Headers` of the fetch API too. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null }
  /** The raw body, byte for byte, before any JSON parser. */
  readonly body: string | Uint8Array
}

/** How the age of a request is judged. */
export interface VerifyOptions {
  /** Oldest and youngest timestamp that is accepted, in seconds from now. Default 300. */
  readonly toleranceSeconds?: number
  /** The time now in Unix milliseconds. Default: the system's. */
  readonly nowMs?: number
}

const defaultToleranceSeconds = 300

/**
 * Whether a webhook request was signed by the switch with the account's signing secret, recently: base64 of
 * HMAC-SHA256 over URL, `X-Voice-Timestamp` and raw body. Compares in constant time; false for anything missing or
 * malformed, and for an empty secret, with which anyone can sign.
 */
export function verifySignature(request: SignedRequest, secret: string, options: VerifyOptions = {}): boolean {
  const { toleranceSeconds = defaultToleranceSeconds, nowMs = Date.now() } = options
  // Programs without types pass what their configuration lacks.
  if (!isGiven(secret) || secret === '' || !isGiven(request.url) || !isGiven(request.body)) return false
  const timestamp = headerOf(request.headers, 'x-voice-timestamp')
  const signature = headerOf(request.headers, 'x-voice-signature')
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac('sha256', secret).update(request.url).update(timestamp).update(request.body).digest()
  const given = Buffer.from(signature, 'base64')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function headerOf(headers: SignedRequest['headers'], name: string): string | undefined {
  if (isFetchHeaders(headers)) return headers.get(name) ?? undefined
  const key = Object.keys(headers).find(candidate => candidate.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === 'string' ? value : value?.[0]
}

const isGiven = (value: unknown): boolean => typeof value === 'string' || value instanceof Uint8Array

const isFetchHeaders = (headers: SignedRequest['headers']): headers is { get(name: string): string | null } =>
  typeof (headers as { get?: unknown }).get === 'function'
