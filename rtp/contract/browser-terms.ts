import type { Fingerprint } from '../dtls/certificate.ts'
import type { DtlsRole } from '../dtls/handshake.ts'
import type { IceCredentials } from '../ice/credentials.ts'
import type { SrtpProfile } from '../srtp/profile.ts'

/** What the remote's checks will be addressed to. */
export interface BrowserOpening extends IceCredentials {
  /**
   * Of the candidates. A browser believes an answer only from the address that it asked, so each of this
   * machine's is bound by itself. Default: what the network is bound to.
   */
  readonly addresses?: readonly string[]
}

/** What offer and answer said about how media is reached and protected (RFC 8839, RFC 8842), as plain data. */
export interface BrowserTerms {
  /** Ours; others than before are a restart (RFC 8445 §9). */
  readonly local: IceCredentials
  readonly remoteUfrag: string
  /** Fingerprints of the remote's certificate. Other ones mean another remote: a new handshake. */
  readonly fingerprints: readonly Fingerprint[]
  /** Ours in the handshake: `client` for `a=setup:active` of ours. */
  readonly role: DtlsRole
}

/** What we protect media with, best first: AES in counter mode costs the least here. */
export const browserProfiles: readonly SrtpProfile[] = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM']
