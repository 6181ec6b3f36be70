import type { Tokens } from '../base/tokens.ts'
import type { HeaderField, SipRequest } from '../message/message.ts'
import type { DigestAlgorithm, Hash } from './algorithm.ts'
import { formatChallenges } from './challenge.ts'
import { checkCredentials } from './check.ts'
import type { DigestCredentials } from './credentials.ts'
import { checkNonce, createNonce, type NonceRules } from './nonce.ts'
import { NonceCounts } from './nonce-counts.ts'
import { ha1Of } from './response.ts'

/** A nonce may be used for so long, each count of it once. */
const nonceLifetimeMs = 300_000
/** Nonces in use whose counts are remembered. */
const rememberedNonces = 65_536
/** Passwords are compared so often for a wrong digest, whatever name it has: a name that exists takes no longer. */
const comparisons = 32
/** Passwords whose HA1 is remembered. */
const rememberedSecrets = 20_000

/** An owner that the credentials may prove; several may share a name. */
export interface Candidate<Owner> {
  readonly username: string
  readonly password: string
  readonly owner: Owner
}

interface CredentialsVerdict<Owner> {
  /** Owner of the credentials; undefined = challenge again. */
  readonly owner: Owner | undefined
  readonly stale: boolean
  /** They match no candidate. */
  readonly isWrong: boolean
}

/** Our side of digest authentication: challenges without state, and credentials that prove a peer (RFC 3261 §22). */
export class Challenger {
  readonly #realm: string
  readonly #tokens: Tokens
  readonly #nonces: NonceRules
  readonly #replay = new NonceCounts(rememberedNonces)
  readonly #ha1 = new Map<string, Partial<Record<DigestAlgorithm, string>>>()

  constructor(settings: { readonly realm: string; readonly hash: Hash }, tokens: Tokens) {
    this.#realm = settings.realm
    this.#tokens = tokens
    this.#nonces = { hash: settings.hash, secret: tokens.take(32), lifetimeMs: nonceLifetimeMs }
  }

  /** RFC 8760: a challenge for each algorithm, the stronger first; to be answered from `source`. */
  challenge(
    source: string,
    now: number,
    stale: boolean,
    algorithms: readonly DigestAlgorithm[],
  ): readonly HeaderField[] {
    const nonce = createNonce(this.#nonces, this.#realm, this.#tokens.take(8), now, source)
    const challenges = formatChallenges({ realm: this.#realm, nonce, stale, algorithms })
    return challenges.map(value => ({ name: 'WWW-Authenticate', value }))
  }

  /** They answer a challenge that `source` has had from us, and not long ago: it is no forged address. */
  isFresh({ nonce, realm }: DigestCredentials, source: string, now: number): boolean {
    return realm === this.#realm && checkNonce(this.#nonces, realm, nonce, now, source) === 'fresh'
  }

  /** Compares fresh credentials. `candidates` are asked for by the username that they name. */
  check<Owner>(
    message: SipRequest,
    source: string,
    claimed: readonly DigestCredentials[],
    candidates: (username: string) => readonly Candidate<Owner>[],
    now: number,
  ): CredentialsVerdict<Owner> {
    for (const credentials of claimed) {
      // qop was offered: without it the same answer could be sent again while its nonce lives (RFC 7616 §3.4).
      if (credentials.client === undefined) continue
      const rules = {
        nonces: this.#nonces,
        realm: this.#realm,
        method: message.method,
        requestUri: message.uri,
        source,
        replay: this.#replay,
      }
      const { algorithm, username } = credentials
      const known = candidates(username).slice(0, comparisons)
      for (const { password, owner } of known) {
        const ha1 = { [algorithm]: this.#ha1Of(algorithm, username, password) }
        const verdict = checkCredentials(credentials, { ha1 }, rules, now)
        if (verdict === 'right') return { owner, stale: false, isWrong: false }
        if (verdict === 'stale') return { owner: undefined, stale: true, isWrong: false }
      }
      const unknown = { ha1: { [algorithm]: this.#ha1Of(algorithm, '', this.#nonces.secret) } }
      for (let at = known.length; at < comparisons; at++) checkCredentials(credentials, unknown, rules, now)
    }
    return { owner: undefined, stale: false, isWrong: claimed.length > 0 }
  }

  #ha1Of(algorithm: DigestAlgorithm, username: string, password: string): string {
    const key = `${username} ${password}`
    let known = this.#ha1.get(key)
    if (known === undefined) {
      for (const oldest of this.#ha1.keys()) {
        if (this.#ha1.size < rememberedSecrets) break
        this.#ha1.delete(oldest)
      }
      known = {}
      this.#ha1.set(key, known)
    }
    known[algorithm] ??= ha1Of(this.#nonces.hash, algorithm, username, this.#realm, password)
    return known[algorithm]
  }
}
