import type { Parsed } from '../base/parsed.ts'
import { authenticationParameterOf, isScheme, parseAuthentication } from '../header/authentication.ts'
import { algorithmOf, type DigestAlgorithm } from './algorithm.ts'
import type { ClientNonce } from './response.ts'

/** What an Authorization or Proxy-Authorization of the Digest scheme claims; nothing of it is proved yet. */
export interface DigestCredentials {
  readonly username: string
  readonly realm: string
  readonly nonce: string
  readonly uri: string
  readonly response: string
  readonly algorithm: DigestAlgorithm
  /** Undefined: without qop. */
  readonly client: ClientNonce | undefined
}

/** Why credentials cannot be checked. */
export type CredentialsFault = 'unreadable' | 'other-scheme' | 'incomplete' | 'unknown-algorithm' | 'unknown-qop'

const count = /^[0-9a-f]{8}$/i
/** Names are remembered, and each field is hashed once for each password that it is compared with. */
const longestName = 200
const longestField = 512

/** Reads one value of Authorization or Proxy-Authorization. Another scheme than Digest is the fault `other-scheme`. */
export function parseCredentials(text: string): Parsed<DigestCredentials, CredentialsFault> {
  const fault = (reason: CredentialsFault): Parsed<never, CredentialsFault> => ({ ok: false, reason, at: 0 })
  const parsed = parseAuthentication(text)
  if (!parsed.ok) return fault('unreadable')
  if (!isScheme(parsed.value, 'Digest')) return fault('other-scheme')
  const of = (name: string) => authenticationParameterOf(parsed.value, name)
  const username = of('username')
  const realm = of('realm')
  const nonce = of('nonce')
  const uri = of('uri')
  const response = of('response')
  if (username === undefined || realm === undefined || nonce === undefined) return fault('incomplete')
  if (uri === undefined || response === undefined) return fault('incomplete')
  const cnonce = of('cnonce')
  if (username.length > longestName) return fault('unreadable')
  if ([realm, nonce, uri, response, cnonce].some(field => field !== undefined && field.length > longestField))
    return fault('unreadable')
  const algorithm = algorithmOf(of('algorithm'))
  if (algorithm === undefined) return fault('unknown-algorithm')
  const claims = { username, realm, nonce, uri, response, algorithm }
  const qop = of('qop')?.toLowerCase()
  if (qop === undefined) return { ok: true, value: { ...claims, client: undefined } }
  if (qop !== 'auth') return fault('unknown-qop')
  const nc = of('nc') ?? ''
  if (!count.test(nc) || cnonce === undefined) return fault('incomplete')
  return { ok: true, value: { ...claims, client: { nc, cnonce } } }
}
