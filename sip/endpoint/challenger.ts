import { formatChallenges } from '../digest/challenge.ts'
import { checkCredentials } from '../digest/check.ts'
import { parseCredentials } from '../digest/credentials.ts'
import { createNonce, type NonceRules } from '../digest/nonce.ts'
import { ReplayWindow } from '../digest/replay-window.ts'
import { headersOf } from '../message/headers.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { PeerConfig } from './peer.ts'
import type { EndpointSettings } from './settings.ts'
import type { Tokens } from './tokens.ts'

const nonceLifetimeMs = 300_000

export interface CredentialsVerdict {
  /** Whose credentials they are; undefined = challenge again. */
  readonly peer: PeerConfig | undefined
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
  challenge(now: number, stale = false): readonly HeaderField[] {
    const nonce = createNonce(this.#nonces, this.#realm, this.#tokens.take(8), now)
    return formatChallenges({ realm: this.#realm, nonce, stale }).map(value => ({ name: 'WWW-Authenticate', value }))
  }

  check(message: SipRequest, peers: readonly PeerConfig[], now: number): CredentialsVerdict {
    for (const value of headersOf(message, 'Authorization')) {
      const credentials = parseCredentials(value)
      if (!credentials.ok) continue
      const peer = peers.find(candidate => candidate.username === credentials.value.username)
      const verdict = checkCredentials(
        credentials.value,
        { password: peer?.password ?? this.#nonces.secret },
        {
          nonces: this.#nonces,
          realm: this.#realm,
          method: message.method,
          requestUri: message.uri,
          replay: this.#replay,
        },
        now,
      )
      if (peer !== undefined && verdict === 'right') return { peer, stale: false }
      if (peer !== undefined && verdict === 'stale') return { peer: undefined, stale: true }
    }
    return { peer: undefined, stale: false }
  }
}
