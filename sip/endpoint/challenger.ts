import type { DigestAlgorithm } from '../digest/algorithm.ts'
import { formatChallenges } from '../digest/challenge.ts'
import { checkCredentials } from '../digest/check.ts'
import { parseCredentials } from '../digest/credentials.ts'
import { createNonce, type NonceRules } from '../digest/nonce.ts'
import { ReplayWindow } from '../digest/replay-window.ts'
import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { EndpointSettings } from './settings.ts'
import type { Tokens } from './tokens.ts'

const nonceLifetimeMs = 300_000

/** Somebody who may prove to be it; several may share a name. */
export interface Candidate<Owner> {
  readonly username: string
  readonly password: string
  readonly owner: Owner
}

export interface CredentialsVerdict<Owner> {
  /** Whose credentials they are; undefined = challenge again. */
  readonly owner: Owner | undefined
  readonly stale: boolean
}

/** Our side of digest authentication: challenges without state, and credentials that prove a peer (RFC 3261 §22). */
export class Challenger {
  readonly #realm: string
  readonly #tokens: Tokens
  readonly #nonces: NonceRules
  readonly #replay = new ReplayWindow()

  constructor(settings: EndpointSettings, tokens: Tokens) {
    this.#realm = settings.realm
    this.#tokens = tokens
    this.#nonces = { hash: settings.hash, secret: tokens.take(32), lifetimeMs: nonceLifetimeMs }
  }

  /** RFC 8760: a challenge for each algorithm, the stronger first. */
  challenge(now: number, stale: boolean, algorithms: readonly DigestAlgorithm[]): readonly HeaderField[] {
    const nonce = createNonce(this.#nonces, this.#realm, this.#tokens.take(8), now)
    const challenges = formatChallenges({ realm: this.#realm, nonce, stale, algorithms })
    return challenges.map(value => ({ name: 'WWW-Authenticate', value }))
  }

  /** `candidates` are asked for by the username that the request names. */
  check<Owner>(
    message: SipRequest,
    candidates: (username: string) => readonly Candidate<Owner>[],
    now: number,
  ): CredentialsVerdict<Owner> {
    for (const value of headersOf(message, 'Authorization')) {
      const credentials = parseCredentials(value)
      if (!credentials.ok) continue
      const rules = {
        nonces: this.#nonces,
        realm: this.#realm,
        method: message.method,
        requestUri: message.uri,
        replay: this.#replay,
      }
      const known = candidates(credentials.value.username)
      for (const { password, owner } of known) {
        const verdict = checkCredentials(credentials.value, { password }, rules, now)
        if (verdict === 'right') return { owner, stale: false }
        if (verdict === 'stale') return { owner: undefined, stale: true }
      }
      // A stranger is checked against something too, so that time tells nothing.
      if (known.length === 0) checkCredentials(credentials.value, { password: this.#nonces.secret }, rules, now)
    }
    return { owner: undefined, stale: false }
  }
}
