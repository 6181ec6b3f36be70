import { parseUri } from '../uri/parse.ts'
import type { DigestAlgorithm } from './algorithm.ts'
import type { DigestCredentials } from './credentials.ts'
import { checkNonce, type NonceRules } from './nonce.ts'
import type { NonceCounts } from './nonce-counts.ts'
import { ha1Of, responseOf, sameDigest } from './response.ts'

/** What the user is known by: the password, or its HA1 for each algorithm that is offered. */
export type DigestSecret =
  | { readonly password: string }
  | { readonly ha1: Readonly<Partial<Record<DigestAlgorithm, string>>> }

/** What credentials are checked against: the challenge that they should answer, and the request that they came with. */
export interface CheckRules {
  readonly nonces: NonceRules
  readonly realm: string
  readonly method: string
  readonly requestUri: string
  /** For which the nonce was made. Default: for anybody. */
  readonly source?: string
  /** Default: none, and a nonce may be used with any count until it is old. */
  readonly replay?: NonceCounts | undefined
}

/**
 * `stale`: the password is right, the nonce is old, foreign (of an earlier run) or its count was used: challenge again
 * with stale=true. `wrong`: challenge again, and count it.
 */
export type CheckVerdict = 'right' | 'stale' | 'wrong'

/** RFC 7616 §3.4, RFC 3261 §22.4. An unknown user is to be checked against a made-up secret, so that the time taken reveals nothing. */
export function checkCredentials(
  credentials: DigestCredentials,
  secret: DigestSecret,
  { nonces, realm, method, requestUri, source, replay }: CheckRules,
  now: number,
): CheckVerdict {
  const { algorithm, username, nonce, uri, client } = credentials
  const { hash } = nonces
  const ha1 = 'ha1' in secret ? secret.ha1[algorithm] : ha1Of(hash, algorithm, username, realm, secret.password)
  if (ha1 === undefined || credentials.realm !== realm || !namesTarget(uri, requestUri)) return 'wrong'
  const expected = responseOf(hash, { algorithm, ha1, nonce, method, uri, client })
  if (!sameDigest(credentials.response, expected)) return 'wrong'
  if (checkNonce(nonces, realm, nonce, now, source) !== 'fresh') return 'stale'
  if (replay !== undefined && client !== undefined && !replay.accept(nonce, Number.parseInt(client.nc, 16))) {
    return 'stale'
  }
  return 'right'
}

/**
 * The signed URI must be the request's (RFC 7616 §3.4.6), or credentials for one number would dial another. Ports and
 * parameters may differ: proxies and clients put them in and leave them out.
 */
function namesTarget(uri: string, requestUri: string): boolean {
  if (uri === requestUri) return true
  const signed = parseUri(uri)
  const asked = parseUri(requestUri)
  return (
    signed.ok &&
    asked.ok &&
    signed.value.kind === 'sip' &&
    asked.value.kind === 'sip' &&
    signed.value.user === asked.value.user &&
    signed.value.host.toLowerCase() === asked.value.host.toLowerCase()
  )
}
