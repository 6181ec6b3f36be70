import type { Challenger } from '../../digest/challenger.ts'
import { type DigestCredentials, parseCredentials } from '../../digest/credentials.ts'
import { authenticationParameterOf, isScheme, parseAuthentication } from '../../header/authentication.ts'
import { parseNameAddr } from '../../header/name-addr.ts'
import { headersOf } from '../../message/headers.ts'
import { sourceKey } from '../../network/source-network.ts'
import type { IncomingRequest } from '../../transaction/incoming.ts'
import { userOf } from '../../uri/format.ts'

/** Credentials in one request that are looked at. */
const mostCredentials = 4

/** Who a request says that it is from, before anything is compared. */
export interface Claims {
  /** What nonces are made for. */
  readonly source: string
  /** The user in From: anybody may write it. */
  readonly from: string
  /** A Bearer token. */
  readonly token: string | undefined
  /** Digests for a challenge that this source has had from us: who sends them receives there. */
  readonly digests: readonly DigestCredentials[]
  /** Digests for another challenge came (RFC 7616 §3.3: stale, so that the phone tries again by itself). */
  readonly isStale: boolean
}

export function claimsOf({ message, from, flow }: IncomingRequest, challenger: Challenger, now: number): Claims {
  const source = sourceKey(flow.address)
  const values = headersOf(message, 'Authorization').slice(0, mostCredentials)
  const token = tokenOf(values)
  const digests: DigestCredentials[] = []
  let isStale = false
  if (token === undefined)
    for (const value of values) {
      const credentials = parseCredentials(value)
      if (!credentials.ok) continue
      if (challenger.isFresh(credentials.value, source, now)) digests.push(credentials.value)
      else isStale = true
    }
  const address = parseNameAddr(from)
  return { source, from: (address.ok && userOf(address.value.uri)) || '', token, digests, isStale }
}

function tokenOf(values: readonly string[]): string | undefined {
  for (const value of values) {
    const parsed = parseAuthentication(value)
    if (parsed.ok && isScheme(parsed.value, 'Bearer'))
      return parsed.value.token ?? authenticationParameterOf(parsed.value, 'access_token') ?? ''
  }
  return undefined
}
