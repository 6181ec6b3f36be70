import { answerChallenge, chooseChallenges } from '../digest/answer-challenge.ts'
import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest, SipResponse } from '../message/message.ts'
import type { Agent } from './agent.ts'

/** What we answer a peer's challenge with. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

const challengesOf = (response: SipResponse) =>
  chooseChallenges(headersOf(response, response.status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate'))

/** The field that answers a 401 or 407 to `request`; undefined when there is no challenge that we can answer. */
export function authorize(
  agent: Agent,
  request: SipRequest,
  response: SipResponse,
  { username, password }: Credentials,
): HeaderField | undefined {
  const [challenge] = challengesOf(response)
  if (challenge === undefined || username === '') return undefined
  const value = answerChallenge(challenge, {
    hash: agent.settings.hash,
    username,
    password,
    method: request.method,
    uri: request.uri,
    cnonce: agent.tokens.take(16),
    count: 1,
  })
  return { name: response.status === 407 ? 'Proxy-Authorization' : 'Authorization', value }
}

/** The password was right and only the nonce too old (RFC 7616 §3.3). */
export const isStale = (response: SipResponse): boolean => challengesOf(response).some(challenge => challenge.stale)
