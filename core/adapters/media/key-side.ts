import { type MediaKeys, type SrtpKeys, srtpFacts } from '../../../rtp/index.ts'
import {
  type CryptoAgreed,
  type CryptoLine,
  type CryptoLocal,
  cryptosOf,
  isCryptoStream,
  masterLengths,
  type SessionDescription,
} from '../../../sip/index.ts'
import type { SrtpWish } from '../../ports/media.ts'

/** Ours in the offers and answers of a leg whose packets keys in SDP may protect (SRTP, RFC 4568). */
export class KeySide {
  /** Once packets were protected they stay so: no later offer takes the leg down to plain ones. */
  #isRequired: boolean
  readonly #isOffered: boolean
  readonly #local: CryptoLocal

  constructor(srtp: Exclude<SrtpWish, 'off'>, randomBytes: (length: number) => Uint8Array) {
    this.#isRequired = srtp === 'required'
    this.#isOffered = srtp !== 'optional'
    this.#local = {
      masters: {
        AES_CM_128_HMAC_SHA1_80: randomBytes(masterLengths.AES_CM_128_HMAC_SHA1_80),
        AES_CM_128_HMAC_SHA1_32: randomBytes(masterLengths.AES_CM_128_HMAC_SHA1_32),
        AEAD_AES_128_GCM: randomBytes(masterLengths.AEAD_AES_128_GCM),
      },
    }
  }

  /** For our offers; undefined: they are plain. */
  get forOffer(): CryptoLocal | undefined {
    return this.#isRequired || this.#isOffered ? this.#local : undefined
  }

  /** For our answer; undefined: the plain stream is taken. */
  forAnswer(offer: SessionDescription): CryptoLocal | undefined {
    const isOffered = offer.media.some(media => isCryptoStream(media) && cryptosOf(media).length > 0)
    return this.#isRequired || isOffered ? this.#local : undefined
  }

  /** What was agreed on, for the media thread; undefined: plain packets. */
  keys(agreed: CryptoAgreed | undefined): MediaKeys | undefined {
    if (agreed !== undefined) this.#isRequired = true
    return agreed && { local: keysOf(agreed.local), remote: keysOf(agreed.remote) }
  }
}

const keysOf = ({ suite, master }: CryptoLine): SrtpKeys => {
  const { keyLength } = srtpFacts[suite]
  return { profile: suite, key: master.slice(0, keyLength), salt: master.slice(keyLength) }
}
