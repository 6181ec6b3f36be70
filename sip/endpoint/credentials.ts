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

/** Answers to the challenges of one request: once, and once more when only the nonce was too old (RFC 7616 §3.3). */
export class ChallengeAnswers {
  #given = 0

  /** The field for the next try; undefined when there is none that would help. */
  next(agent: Agent, request: SipRequest, response: SipResponse, credentials: Credentials): HeaderField | undefined {
    this.#given++
    if (this.#given > 2 || (this.#given === 2 && !isStale(response))) return undefined
    return authorize(agent, request, response, credentials)
  }

  /** What comes is another request. */
  reset(): void {
    this.#given = 0
  }
}

/** The password was right. */
const isStale = (response: SipResponse): boolean => challengesOf(response).some(challenge => challenge.stale)
