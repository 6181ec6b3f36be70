import type { KeyObject } from 'node:crypto'
import { isSignatureOf, signatureOf } from './signature.ts'

type Claims = Readonly<Record<string, unknown>>

const maxTokenLength = 4096
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** The only header that we write or take: the token does not choose how it is verified. */
const header = encoded({ alg: 'HS256', typ: 'JWT' })

/** A JWT by HS256 (RFC 7519, RFC 7515 §3.1). */
export function signJwt(claims: Claims, key: KeyObject): string {
  const text = `${header}.${encoded(claims)}`
  return `${text}.${signatureOf(text, key)}`
}

/** The claims of a token that this key has signed; undefined for any other text. Expiry is for the caller to judge. */
export function readJwt(token: string, key: KeyObject): Claims | undefined {
  if (token.length > maxTokenLength) return undefined
  const [head, payload, signature, more] = token.split('.')
  if (head !== header || payload === undefined || signature === undefined || more !== undefined) return undefined
  if (!isSignatureOf(signature, `${head}.${payload}`, key)) return undefined
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
}
