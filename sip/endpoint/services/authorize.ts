import { answerChallenge, chooseChallenges } from '../../digest/answer-challenge.ts'
import { type CredentialScope, challengeValues } from '../../digest/credential-scope.ts'
import type { HeaderField, SipResponse } from '../../message/message.ts'
import type { ClientTransaction } from '../../transaction/transaction.ts'
import type { EndpointServices } from './services.ts'

/** The field that answers a 401 or 407 to the request of `transaction`; undefined when there is none that we may give. */
export function authorize(
  services: EndpointServices,
  { request, flow }: ClientTransaction,
  response: SipResponse,
  scope: CredentialScope,
  now: number,
): HeaderField | undefined {
  const chosen = scope.choose(response, flow)
  if (chosen.kind === 'none') return undefined
  if (chosen.kind === 'refuse') {
    const { why, realm } = chosen
    services.challengeRefused({ peerId: scope.peerId, address: flow.address, why, realm, expected: scope.realm }, now)
    return undefined
  }
  const value = answerChallenge(chosen.challenge, {
    hash: services.settings.hash,
    ...scope.credentials,
    method: request.method,
    uri: request.uri,
    cnonce: services.tokens.take(16),
    count: 1,
  })
  return { name: response.status === 407 ? 'Proxy-Authorization' : 'Authorization', value }
}

/** Answers to the challenges of one request: once, and once more when only the nonce was too old (RFC 7616 §3.3). */
export class ChallengeAnswers {
  #given = 0

  /** The field for the next try; undefined when there is none that would help. */
  next(
    services: EndpointServices,
    transaction: ClientTransaction,
    response: SipResponse,
    scope: CredentialScope,
    now: number,
  ): HeaderField | undefined {
    this.#given++
    if (this.#given > 2 || (this.#given === 2 && !isStale(response))) return undefined
    return authorize(services, transaction, response, scope, now)
  }

  /** What comes is another request. */
  reset(): void {
    this.#given = 0
  }
}

/** The password was right. */
const isStale = (response: SipResponse): boolean =>
  chooseChallenges(challengeValues(response)).some(challenge => challenge.stale)
