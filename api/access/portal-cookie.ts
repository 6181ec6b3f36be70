import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { PortalSession } from '../../core/index.ts'
import { Refusal } from '../answer/refusal.ts'

/** A browser may be signed in as an account and as the operator at once: two sessions, two cookies. */
export type SessionKind = 'customer' | 'operator'

const names = { customer: 'sauti_session', operator: 'sauti_operator' } as const
/** RFC 6265bis §4.1.3.2: a cookie of this name can be set over TLS only, by this host alone. */
const nameOf = (kind: SessionKind, request: FastifyRequest): string =>
  request.protocol === 'https' ? `__Host-${names[kind]}` : names[kind]

/** The secret of the session that the request names. */
export function sessionSecretOf(kind: SessionKind, request: FastifyRequest): string | undefined {
  const wanted = nameOf(kind, request)
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === wanted) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** `Set-Cookie`; an empty secret takes the cookie away. */
export function sessionCookie(kind: SessionKind, request: FastifyRequest, secret: string, seconds: number): string {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  const age = secret === '' ? 0 : seconds
  return `${nameOf(kind, request)}=${secret}; Path=/; HttpOnly; SameSite=Strict${secure}; Max-Age=${age}`
}

/** What the page sends back in a header, which no other site can: it cannot read it. */
const formTokenHeader = 'x-sauti-csrf'
export const formTokenOf = (secret: string): string =>
  createHash('sha256').update(`form token ${secret}`).digest('base64url')

const forged = () =>
  new Refusal(403, 'The request does not come from a page of this portal. Reload the page, and try again.')

/**
 * A cookie goes with whatever makes the browser ask. So a request that carries one must come from our own page: with the token
 * that only our page can read, and with no other page's Origin. A client that is no browser has the token from its sign-in.
 */
export function refuseForged(request: FastifyRequest, secret: string, publicUrl: string): void {
  if (isOfForeignPage(request, publicUrl)) throw forged()
  const given = Buffer.from(String(request.headers[formTokenHeader] ?? ''))
  const wanted = Buffer.from(formTokenOf(secret))
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw forged()
}

/** Where no token is asked for, a browser must name our page as the origin of what changes something. */
export function refuseForeignPage(request: FastifyRequest, publicUrl: string): void {
  const { method, headers } = request
  const hidesOrigin = headers.origin === undefined && method !== 'GET' && method !== 'HEAD' && sentByBrowser(request)
  if (hidesOrigin || isOfForeignPage(request, publicUrl)) throw forged()
}

/** By Origin and Fetch Metadata; a client that is no browser sends neither. */
function isOfForeignPage({ headers, protocol, host }: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const own = [`${protocol}://${host}`, URL.canParse(publicUrl) ? new URL(publicUrl).origin : '']
  return origin !== undefined && !own.includes(origin)
}

/** RFC 6454 §7: a browser names the origin of every changing request. A client with a cookie is a browser. */
const sentByBrowser = (request: FastifyRequest): boolean => request.headers.cookie !== undefined

/** The operator's key as its sessions remember it. */
export const fingerprintOf = (operatorKey: string): string => createHash('sha256').update(operatorKey).digest('hex')

/** A session of the console has the rights of the key that opened it: with another key of now it has none. */
export const isOfKey = ({ accountUuid, keyUuid }: PortalSession, fingerprint: string): boolean =>
  accountUuid !== null || keyUuid === fingerprint
