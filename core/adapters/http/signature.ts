import { createHmac } from 'node:crypto'

interface SignatureHeaders {
  readonly 'x-voice-signature': string
  readonly 'x-voice-timestamp': string
}

/**
 * Signature of a webhook request: base64 of HMAC-SHA256 over the URL exactly as it was configured, the timestamp in Unix
 * seconds, and the raw body, keyed with the account's signing secret.
 */
export function signatureHeaders(url: string, body: string, secret: string, unixSeconds: number): SignatureHeaders {
  const timestamp = String(unixSeconds)
  const signature = createHmac('sha256', secret).update(url).update(timestamp).update(body).digest('base64')
  return { 'x-voice-signature': signature, 'x-voice-timestamp': timestamp }
}
