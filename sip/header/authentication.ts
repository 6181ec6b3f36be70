import type { Parsed } from '../base/parsed.ts'
import { parameterOf } from '../grammar/parameters.ts'
import { quote, quotedEnd } from '../grammar/quoted-string.ts'
import { isBlankCode, skipBlanks, tokenEnd } from '../grammar/token.ts'

/** `name=value` with the value as written, quotes and escapes included. */
export interface AuthenticationParameter {
  readonly name: string
  readonly value: string
}

/**
 * WWW-Authenticate, Proxy-Authenticate, Authorization and Proxy-Authorization (RFC 3261 §20.7, §20.44; RFC 8898):
 * a scheme with parameters (Digest), or with one token (Bearer). One challenge or one set of credentials a field.
 */
export interface Authentication {
  readonly scheme: string
  readonly token: string | undefined
  readonly parameters: readonly AuthenticationParameter[]
}

type AuthenticationFault = 'bad-scheme' | 'bad-parameter' | 'too-many-parameters'

/** A real one has a dozen. */
const maxParameters = 64
const token68 = /^[-A-Za-z0-9._~+/]+=*$/

export function parseAuthentication(text: string): Parsed<Authentication, AuthenticationFault> {
  const start = skipBlanks(text, 0)
  const schemeEnd = tokenEnd(text, start)
  if (schemeEnd === start) return { ok: false, reason: 'bad-scheme', at: start }
  const scheme = text.slice(start, schemeEnd)
  const rest = text.slice(schemeEnd).trim()
  if (token68.test(rest)) return { ok: true, value: { scheme, token: rest, parameters: [] } }
  const parameters: AuthenticationParameter[] = []
  let at = skipMarks(text, schemeEnd)
  while (at < text.length) {
    const nameEnd = tokenEnd(text, at)
    const equals = skipBlanks(text, nameEnd)
    if (nameEnd === at || text.charCodeAt(equals) !== 0x3d) return { ok: false, reason: 'bad-parameter', at }
    const valueAt = skipBlanks(text, equals + 1)
    const valueEnd = text.charCodeAt(valueAt) === 0x22 ? quotedEnd(text, valueAt) : bareEnd(text, valueAt)
    if (valueEnd <= valueAt) return { ok: false, reason: 'bad-parameter', at: valueAt }
    if (parameters.length === maxParameters) return { ok: false, reason: 'too-many-parameters', at }
    parameters.push({ name: text.slice(at, nameEnd), value: text.slice(valueAt, valueEnd) })
    const next = skipBlanks(text, valueEnd)
    if (next < text.length && text.charCodeAt(next) !== 0x2c) return { ok: false, reason: 'bad-parameter', at: next }
    at = skipMarks(text, next)
  }
  return { ok: true, value: { scheme, token: undefined, parameters } }
}

/** Blanks and commas; empty elements of the list are let pass. */
function skipMarks(text: string, at: number): number {
  let next = at
  while (next < text.length && (text.charCodeAt(next) === 0x2c || isBlankCode(text.charCodeAt(next)))) next++
  return next
}

function bareEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && text.charCodeAt(end) !== 0x2c && !isBlankCode(text.charCodeAt(end))) end++
  return end
}

export function formatAuthentication({ scheme, token, parameters }: Authentication): string {
  if (token !== undefined) return `${scheme} ${token}`
  return `${scheme} ${parameters.map(({ name, value }) => `${name}=${value}`).join(', ')}`
}

/** The first parameter of that name (in lower case), unquoted. */
export const authenticationParameterOf = (authentication: Authentication, name: string): string | undefined =>
  parameterOf(authentication.parameters, name)

export const quotedParameter = (name: string, value: string): AuthenticationParameter => ({ name, value: quote(value) })

export const isScheme = (authentication: Authentication, scheme: string): boolean =>
  authentication.scheme.toLowerCase() === scheme.toLowerCase()
