import { type AuthenticationParameter, formatAuthentication, quotedParameter } from '../header/authentication.ts'
import { type Hash, strengthOf } from './algorithm.ts'
import { type DigestChallenge, parseChallenge } from './challenge.ts'
import { type ClientNonce, ha1Of, responseOf } from './response.ts'

/** The strongest challenge that we can answer for each realm, of all WWW-Authenticate or Proxy-Authenticate values. */
export function chooseChallenges(values: readonly string[]): readonly DigestChallenge[] {
  const chosen = new Map<string, DigestChallenge>()
  for (const value of values) {
    const parsed = parseChallenge(value)
    if (!parsed.ok) continue
    const challenge = parsed.value
    const other = chosen.get(challenge.realm)
    if (other === undefined || isStronger(challenge, other)) chosen.set(challenge.realm, challenge)
  }
  return [...chosen.values()]
}

/** By its algorithm; of two with the same, the one with qop. */
function isStronger(one: DigestChallenge, other: DigestChallenge): boolean {
  const more = strengthOf(one.algorithm) - strengthOf(other.algorithm)
  return more > 0 || (more === 0 && one.qopAuth && !other.qopAuth)
}

/** What an answer to a challenge is computed from. */
export interface AnswerRules {
  readonly hash: Hash
  readonly username: string
  readonly password: string
  readonly method: string
  /** The Request-URI as it is sent. */
  readonly uri: string
  /** Random, different for each request. */
  readonly cnonce: string
  /** How often this nonce was used, this request included: 1 for the first answer. */
  readonly count: number
}

/** The value of Authorization or Proxy-Authorization (RFC 7616 §3.4, RFC 3261 §22.4). */
export function answerChallenge(challenge: DigestChallenge, rules: AnswerRules): string {
  const { hash, username, password, method, uri } = rules
  const { algorithm, realm, nonce, opaque, algorithmText } = challenge
  const client: ClientNonce | undefined = challenge.qopAuth
    ? { nc: rules.count.toString(16).padStart(8, '0'), cnonce: rules.cnonce }
    : undefined
  const ha1 = ha1Of(hash, algorithm, username, realm, password)
  const parameters: AuthenticationParameter[] = [
    quotedParameter('username', username),
    quotedParameter('realm', realm),
    quotedParameter('nonce', nonce),
    quotedParameter('uri', uri),
    quotedParameter('response', responseOf(hash, { algorithm, ha1, nonce, method, uri, client })),
  ]
  if (algorithmText !== undefined) parameters.push({ name: 'algorithm', value: algorithm })
  if (opaque !== undefined) parameters.push(quotedParameter('opaque', opaque))
  if (client !== undefined) {
    parameters.push(
      { name: 'qop', value: 'auth' },
      { name: 'nc', value: client.nc },
      quotedParameter('cnonce', client.cnonce),
    )
  }
  return formatAuthentication({ scheme: 'Digest', token: undefined, parameters })
}
