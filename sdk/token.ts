import { PhoneError } from './base/errors.ts'

/** What a phone token says. It is read here, never verified: only the switch has the key. */
export interface TokenClaims {
  /** SIP domain of the switch. */
  readonly iss: string
  /** The end-user's uuid. */
  readonly sub: string
  /** Extension number. */
  readonly ext: string
  /** The account's uuid. */
  readonly acc: string
  /** The token's own uuid. */
  readonly jti: string
  readonly max_concurrent: number
  /** Unix seconds. */
  readonly iat: number
  /** Unix seconds. */
  readonly exp: number
}

const texts = ['iss', 'sub', 'ext', 'acc', 'jti'] as const
const numbers = ['max_concurrent', 'iat', 'exp'] as const

/** The claims of a token. Throws a PhoneError `token.invalid` for anything that is not one. */
export function decodeToken(token: string): TokenClaims {
  const parts = typeof token === 'string' ? token.trim().split('.') : []
  const claims = parts.length === 3 ? readJson(parts[1] ?? '') : undefined
  if (claims === undefined) throw new PhoneError('token.invalid', 'This is not a phone token (a JWT of three parts).')
  for (const name of texts)
    if (typeof claims[name] !== 'string') throw new PhoneError('token.invalid', `The token lacks the claim "${name}".`)
  for (const name of numbers)
    if (!Number.isFinite(claims[name])) throw new PhoneError('token.invalid', `The token lacks the claim "${name}".`)
  return claims as unknown as TokenClaims
}

/** Whether the token's time is over (by the browser's clock), or it is no token at all. */
export function isExpired(token: string, nowUnixMs: number = Date.now()): boolean {
  try {
    return decodeToken(token).exp * 1000 <= nowUnixMs
  } catch {
    return true
  }
}

function readJson(base64Url: string): Record<string, unknown> | undefined {
  try {
    const binary = atob(base64Url.replace(/-/g, '+').replace(/_/g, '/'))
    const bytes = Uint8Array.from(binary, character => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
