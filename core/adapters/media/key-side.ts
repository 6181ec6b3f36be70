import type { MediaKeys, SrtpKeys } from '../../../rtp/index.ts'
import {
  type CryptoAgreed,
  type CryptoLine,
  type CryptoLocal,
  cryptosOf,
  isCryptoStream,
  type SessionDescription,
} from '../../../sip/index.ts'
import type { Trunk } from '../../model/trunk.ts'

const keyBytes = 16
const masterBytes = 30

/** Ours in the offers and answers of a leg whose packets keys in SDP may protect (SRTP, RFC 4568). */
export class KeySide {
  readonly #isRequired: boolean
  readonly #local: CryptoLocal
  #isAgreed = false

  constructor(srtp: Exclude<Trunk['srtp'], 'off'>, randomBytes: (length: number) => Uint8Array) {
    this.#isRequired = srtp === 'required'
    this.#local = { master: randomBytes(masterBytes) }
  }

  /** For our offers. Where it is optional ours are plain, which everybody takes, until the far end has shown that it can. */
  get forOffer(): CryptoLocal | undefined {
    return this.#isRequired || this.#isAgreed ? this.#local : undefined
  }

  /** For our answer; undefined: the plain stream is taken. */
  forAnswer(offer: SessionDescription): CryptoLocal | undefined {
    const isOffered = offer.media.some(media => isCryptoStream(media) && cryptosOf(media).length > 0)
    return this.#isRequired || isOffered ? this.#local : undefined
  }

  /** What was agreed on, for the media thread; undefined: plain packets. */
  keys(agreed: CryptoAgreed | undefined): MediaKeys | undefined {
    this.#isAgreed = agreed !== undefined
    return agreed && { local: keysOf(agreed.local), remote: keysOf(agreed.remote) }
  }
}

const keysOf = ({ suite, master }: CryptoLine): SrtpKeys => ({
  profile: suite,
  key: master.slice(0, keyBytes),
  salt: master.slice(keyBytes),
})
