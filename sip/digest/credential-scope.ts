import { headersOf } from '../message/headers.ts'
import type { SipResponse } from '../message/message.ts'
import { type Flow, isSecure } from '../network/flow.ts'
import { strengthOf } from './algorithm.ts'
import { chooseChallenges } from './answer-challenge.ts'
import type { DigestChallenge } from './challenge.ts'

/** Addresses of one trunk that are remembered; the oldest go first. */
const mostAddresses = 64

/** What we answer challenges with. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * `address`: it comes from where the password does not belong. `algorithm`: a stronger one was offered before. `qop`: it was
 * offered before, and without it our answer has no nonce of our own in it, and can be looked up in a table made beforehand.
 */
type ScopeFault = 'address' | 'realm' | 'algorithm' | 'qop'

/** A challenge that we did not answer although we have a password. */
export interface ChallengeRefusal {
  /** The trunk; undefined: a `<Sip>` target. */
  readonly peerId: string | undefined
  readonly address: string
  readonly why: ScopeFault
  readonly realm: string
  /** The realm that is answered; undefined: none has been learnt. */
  readonly expected: string | undefined
  /** How many since the last that was reported. */
  readonly refused: number
}

type Chosen =
  | { readonly kind: 'answer'; readonly challenge: DigestChallenge }
  | { readonly kind: 'refuse'; readonly why: ScopeFault; readonly realm: string }
  /** There is no challenge that could be answered. */
  | { readonly kind: 'none' }

interface ScopeRules {
  readonly peerId: string | undefined
  /** Requests with credentials go over TLS and nothing else. */
  readonly needsTls: boolean
  /** Addresses that the operator names as the trunk's, beside those that its host resolves to. */
  readonly isListed: (address: string) => boolean
}

/**
 * Where one password may be used: towards the addresses of its trunk, for the realm of the first challenge, and never
 * with a weaker algorithm than was offered before, or without qop where that was offered. A remote that is reached through the trunk may answer with any
 * Contact and any challenge; the digest of a password is worth an offline attack (CVE-2021-41158).
 */
export class CredentialScope {
  readonly credentials: Credentials
  readonly peerId: string | undefined
  readonly #rules: ScopeRules
  readonly #addresses = new Set<string>()
  #realm: string | undefined
  #strength = 0
  #hasQop = false

  constructor(credentials: Credentials, rules: ScopeRules) {
    this.credentials = credentials
    this.peerId = rules.peerId
    this.#rules = rules
  }

  get realm(): string | undefined {
    return this.#realm
  }

  /** The target's host resolves to these. */
  resolvedTo(flows: readonly Flow[]): void {
    for (const { address } of flows) {
      this.#addresses.delete(address)
      this.#addresses.add(address)
    }
    for (const oldest of this.#addresses) {
      if (this.#addresses.size <= mostAddresses) break
      this.#addresses.delete(oldest)
    }
  }

  /** Credentials may go over this flow. */
  isHome(flow: Flow): boolean {
    if (this.#rules.needsTls && !isSecure(flow.transport)) return false
    return this.#addresses.has(flow.address) || this.#rules.isListed(flow.address)
  }

  /** Which challenge in a 401 or 407 to a request over `flow` is answered; the realm and the algorithm then hold. */
  choose(response: SipResponse, flow: Flow): Chosen {
    const offered = chooseChallenges(challengeValues(response))
    const challenge = offered.find(({ realm }) => realm === this.#realm) ?? offered[0]
    if (challenge === undefined) return { kind: 'none' }
    const refuse = (why: ScopeFault): Chosen => ({ kind: 'refuse', why, realm: challenge.realm })
    if (!this.isHome(flow)) return refuse('address')
    if (this.#realm !== undefined && challenge.realm !== this.#realm) return refuse('realm')
    const strength = strengthOf(challenge.algorithm)
    if (strength < this.#strength) return refuse('algorithm')
    if (this.#hasQop && !challenge.qopAuth) return refuse('qop')
    this.#realm = challenge.realm
    this.#strength = strength
    this.#hasQop = challenge.qopAuth
    return { kind: 'answer', challenge }
  }
}

export const challengeValues = (response: SipResponse): readonly string[] =>
  headersOf(response, response.status === 407 ? 'Proxy-Authenticate' : 'WWW-Authenticate')
