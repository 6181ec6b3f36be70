import type { Parsed } from '../base/parsed.ts'
import {
  type AuthenticationParameter,
  authenticationParameterOf,
  formatAuthentication,
  isScheme,
  parseAuthentication,
  quotedParameter,
} from '../header/authentication.ts'
import { algorithmOf, type DigestAlgorithm } from './algorithm.ts'

/** A Digest challenge that we can answer. */
export interface DigestChallenge {
  readonly realm: string
  readonly nonce: string
  readonly algorithm: DigestAlgorithm
  /** As written, for the echo: some servers want the parameter only if they sent it. */
  readonly algorithmText: string | undefined
  readonly opaque: string | undefined
  /** Whether qop=auth is offered; else the old form is used. */
  readonly qopAuth: boolean
  /** The password was right and only the nonce is old: try again without asking anybody. */
  readonly stale: boolean
}

/** Why a challenge cannot be answered. */
export type ChallengeFault = 'unreadable' | 'other-scheme' | 'unknown-algorithm' | 'unknown-qop'

/** Reads one value of WWW-Authenticate or Proxy-Authenticate. Another scheme than Digest is the fault `other-scheme`. */
export function parseChallenge(text: string): Parsed<DigestChallenge, ChallengeFault> {
  const fault = (reason: ChallengeFault): Parsed<never, ChallengeFault> => ({ ok: false, reason, at: 0 })
  const parsed = parseAuthentication(text)
  if (!parsed.ok) return fault('unreadable')
  if (!isScheme(parsed.value, 'Digest')) return fault('other-scheme')
  const of = (name: string) => authenticationParameterOf(parsed.value, name)
  const realm = of('realm')
  const nonce = of('nonce')
  if (realm === undefined || nonce === undefined) return fault('unreadable')
  const algorithmText = of('algorithm')
  const algorithm = algorithmOf(algorithmText)
  if (algorithm === undefined) return fault('unknown-algorithm')
  const qops = of('qop')
    ?.toLowerCase()
    .split(',')
    .map(qop => qop.trim())
  const qopAuth = qops?.includes('auth') ?? false
  // Nothing but auth-int: the body would have to be hashed too, and proxies that touch SDP break it.
  if (qops !== undefined && !qopAuth && qops.some(qop => qop !== '')) return fault('unknown-qop')
  const stale = of('stale')?.toLowerCase() === 'true'
  return { ok: true, value: { realm, nonce, algorithm, algorithmText, opaque: of('opaque'), qopAuth, stale } }
}

/** What `formatChallenges` asks for. */
export interface ChallengeRules {
  readonly realm: string
  readonly nonce: string
  /** Default false. */
  readonly stale?: boolean
  /** One header field each, the preferred first. Default all. */
  readonly algorithms?: readonly DigestAlgorithm[]
}

/** The preferred first (RFC 8760 §2.3). */
export const offeredAlgorithms: readonly DigestAlgorithm[] = ['SHA-512-256', 'SHA-256', 'MD5']

/** The values of WWW-Authenticate or Proxy-Authenticate, one header field each. */
export const formatChallenges = ({
  realm,
  nonce,
  stale = false,
  algorithms = offeredAlgorithms,
}: ChallengeRules): readonly string[] =>
  algorithms.map(algorithm => {
    const parameters: AuthenticationParameter[] = [
      quotedParameter('realm', realm),
      quotedParameter('nonce', nonce),
      { name: 'algorithm', value: algorithm },
      { name: 'qop', value: '"auth"' },
    ]
    if (stale) parameters.push({ name: 'stale', value: 'true' })
    return formatAuthentication({ scheme: 'Digest', token: undefined, parameters })
  })
