import { type BrowserOpening, type BrowserTerms, type IceCredentials, iceCredentials } from '../../../rtp/index.ts'
import { type BrowserAgreed, type BrowserLocal, isBrowserStream, type SessionDescription } from '../../../sip/index.ts'
import type { Random } from '../../ports/clock.ts'

/** Ours in the offers and answers of a browser's leg: names for ICE, which a restart renews, and a part in DTLS. */
export class BrowserSide {
  readonly #random: Random
  readonly #fingerprint: string
  readonly #weakFingerprints: boolean
  /** Addresses of our candidates, the best first. */
  readonly addresses: readonly string[]
  #credentials: IceCredentials
  #remoteUfrag: string | undefined
  #role: BrowserTerms['role'] | undefined
  #ssrc: number | undefined

  /** `fingerprint`: SHA-256 of our certificate. `weakFingerprints`: SHA-1 of theirs is believed. */
  constructor(random: Random, fingerprint: string, addresses: readonly string[], weakFingerprints: boolean) {
    this.#weakFingerprints = weakFingerprints
    this.#random = random
    this.#fingerprint = fingerprint
    this.addresses = addresses
    this.#credentials = iceCredentials(length => random.bytes(length))
  }

  get credentials(): IceCredentials {
    return this.#credentials
  }

  /** What our stream is known by, once there is one. */
  sendAs(ssrc: number): void {
    this.#ssrc = ssrc
  }

  /** All of them, for the media thread. */
  get opening(): BrowserOpening {
    return { ...this.#credentials, addresses: this.addresses }
  }

  get local(): BrowserLocal {
    return {
      ...this.#credentials,
      fingerprint: this.#fingerprint,
      weakFingerprints: this.#weakFingerprints,
      role: this.#role,
      ssrc: this.#ssrc,
      moreAddresses: this.addresses.slice(1),
    }
  }

  /** An offer with another name than before restarts ICE: true when ours have changed too (RFC 8839 §4.4.1.1). */
  renew({ ufrag }: BrowserAgreed): boolean {
    if (this.#remoteUfrag === undefined || this.#remoteUfrag === ufrag) return false
    this.#credentials = iceCredentials(length => this.#random.bytes(length))
    this.#remoteUfrag = ufrag
    return true
  }

  /** What was agreed on, for the media thread. */
  terms({ ufrag, fingerprints, role }: BrowserAgreed): BrowserTerms {
    this.#remoteUfrag = ufrag
    this.#role = role
    return { local: this.#credentials, remoteUfrag: ufrag, fingerprints, role }
  }
}

/** The offer is a browser's, as far as its audio goes. */
export const isBrowserOffer = (offer: SessionDescription): boolean => offer.media.some(isBrowserStream)
